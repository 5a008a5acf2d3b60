const en = {
  notifications: 'Notifications',
  notificationsHint:
    'On your devices, and as a daily digest in Needs you. Nothing can be approved from a notification.',
  turnOn: 'Turn on for this device',
  turnOff: 'Turn off for this device',
  turnedOn: 'Notifications are on for this device',
  turnedOff: 'Notifications are off for this device',
  unsupported:
    'This browser can’t receive notifications here. Use a current browser over HTTPS; on an iPhone or iPad, add the console to the Home Screen first.',
  blocked:
    'This browser blocks notifications. Allow them for this site in the browser’s site settings, then reload the page.',
  notAllowed: 'The browser didn’t allow notifications. Turn them on again and choose Allow.',
  failed: 'The browser couldn’t subscribe: {reason}',
  starting: 'Notifications aren’t ready: no worker has started yet.',
  device: 'Device',
  thisDevice: 'This device',
  added: 'Added',
  lastSent: 'Last sent',
  never: 'Never',
  noDevices: 'No devices. Turn on notifications where you want to receive them.',
  sendTest: 'Send test',
  testSent: 'Test requested',
  sendTestTo: 'Send test to {device}',
  remove: 'Remove',
  removeDevice: 'Remove {device}',
  removed: 'Device removed',
  notifyOf: 'Notify me of',
  topics: {
    high_risk: 'New high-risk proposals',
    expiring: 'Proposals that expire within 24 hours',
    question: 'Questions from agents',
    failed: 'Failures that need me',
    digest: 'The daily digest',
  },
  dailyDigest: 'Daily digest',
  showDigest: 'Show a daily digest in Needs you',
  digestAt: 'Time of day',
  digestZone: 'Time zone: {zone}',
  saved: 'Notifications saved',
}

const uk: typeof en = {
  notifications: 'Сповіщення',
  notificationsHint:
    'На ваших пристроях і щоденним зведенням у «Чекає на вас». Зі сповіщення нічого не можна схвалити.',
  turnOn: 'Увімкнути на цьому пристрої',
  turnOff: 'Вимкнути на цьому пристрої',
  turnedOn: 'Сповіщення на цьому пристрої ввімкнено',
  turnedOff: 'Сповіщення на цьому пристрої вимкнено',
  unsupported:
    'Цей браузер не може отримувати тут сповіщення. Скористайтеся сучасним браузером через HTTPS; на iPhone чи iPad спершу додайте консоль на початковий екран.',
  blocked:
    'Цей браузер блокує сповіщення. Дозвольте їх для цього сайту в налаштуваннях браузера й перезавантажте сторінку.',
  notAllowed: 'Браузер не дозволив сповіщення. Увімкніть їх ще раз і виберіть «Дозволити».',
  failed: 'Браузер не зміг підписатися: {reason}',
  starting: 'Сповіщення не готові: жоден виконавець ще не запускався.',
  device: 'Пристрій',
  thisDevice: 'Цей пристрій',
  added: 'Додано',
  lastSent: 'Востаннє надіслано',
  never: 'Ніколи',
  noDevices: 'Пристроїв немає. Увімкніть сповіщення там, де хочете їх отримувати.',
  sendTest: 'Надіслати тест',
  testSent: 'Тест замовлено',
  sendTestTo: 'Надіслати тест на {device}',
  remove: 'Видалити',
  removeDevice: 'Видалити {device}',
  removed: 'Пристрій видалено',
  notifyOf: 'Сповіщати мене про',
  topics: {
    high_risk: 'Нові пропозиції високого ризику',
    expiring: 'Пропозиції, що спливають протягом 24 годин',
    question: 'Запитання від агентів',
    failed: 'Збої, що потребують моєї уваги',
    digest: 'Щоденне зведення',
  },
  dailyDigest: 'Щоденне зведення',
  showDigest: 'Показувати щоденне зведення в «Чекає на вас»',
  digestAt: 'Час доби',
  digestZone: 'Часовий пояс: {zone}',
  saved: 'Сповіщення збережено',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    push: typeof messages.en
  }
}
