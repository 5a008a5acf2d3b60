/** The words of working through what waits: snoozing, the position, the tally of a sitting, risk. */

const en = {
  snooze: 'Snooze',
  unsnooze: 'Unsnooze',
  tabSnoozed: 'Snoozed',
  snoozeTitle: 'Snooze until',
  snoozeHint: 'The proposal returns to the list at that time. It expires {time}.',
  snoozeTimes: {
    hour: 'In an hour',
    evening: 'This evening',
    morning: 'Tomorrow morning',
    beforeExpiry: 'A day before it expires',
  },
  snoozeOwn: 'Other time',
  snoozeWrong: 'Choose a time in the future, before the proposal expires.',
  snoozedUntil: 'Snoozed until {time}',
  snoozedToast: 'Snoozed until {time}',
  unsnoozed: 'Returned to the list',
  emptySnoozed: 'Proposals you snooze appear here until they return to the list.',
  returns: 'Returns',
  riskLevels: { high: 'High risk', medium: 'Medium risk', low: 'Low risk' },
  riskScore: '{level} · {score, number} of 100',
  riskReasonList: 'Reasons for the risk',
  riskReasons: {
    logic: 'Changes an agent’s logic',
    memory: 'Changes an agent’s memory',
    definition: '{count, plural, one {Changes an agent definition} other {Changes # agent definitions}}',
    removes_file: '{count, plural, one {Removes a file} other {Removes # files}}',
    deletions: '{count, plural, one {Removes # line} other {Removes # lines}}',
    size: 'Changes {count, plural, one {# line} other {# lines}}',
    files: 'Changes {count, plural, one {# file} other {# files}}',
    conflict: 'Conflicts with the current file',
    drift: 'The file changed since this was proposed',
    tainted: 'Contains text from untrusted sources',
    ungrounded:
      '{count, plural, =100 {No source supports it} one {#% of its sources doesn’t support it} other {#% of its sources don’t support it}}',
    new_version: 'Nothing from this agent version was applied yet',
    rejected_before:
      '{count, plural, one {Rejected here # time in 90 days} other {Rejected here # times in 90 days}}',
  },
  noDecisions: 'No decisions in 90 days',
  approvedOf: '{approved, number} of {decided, number} approved in {days, number} days',
  latestDecisions: 'Latest decisions, newest first: {words}',
  expiresToday: 'Expires within 24 h',
  timeLeft: 'Time left to decide',
  notDrawn: 'The changes aren’t on screen yet. Wait until they are loaded.',
  unseenHunks:
    '{unseen, number} of {total, plural, one {# hunk} other {# hunks}} not seen. Press again to approve anyway.',
  dwell: 'High risk: review it for {seconds, plural, one {# more second} other {# more seconds}}',
  approveIn: 'Approve in {seconds, number} s',
  position: '{at, number} of {total, number} · {left, number} left',
  positionLeast: '{at, number} of ≥ {total, number} · ≥ {left, number} left',
  positionDone: 'Decided',
  sitting:
    '{done, number} done in {time}: {approved, number} approved, {rejected, number} rejected, {snoozed, number} snoozed, {failed, number} failed',
  sittingFailure: 'View failed proposal {n, number}',
}

const uk: typeof en = {
  snooze: 'Відкласти',
  unsnooze: 'Повернути',
  tabSnoozed: 'Відкладені',
  snoozeTitle: 'Відкласти до',
  snoozeHint: 'Тоді пропозиція повернеться до списку. Її термін спливає {time}.',
  snoozeTimes: {
    hour: 'Через годину',
    evening: 'Сьогодні ввечері',
    morning: 'Завтра вранці',
    beforeExpiry: 'За день до кінця терміну',
  },
  snoozeOwn: 'Інший час',
  snoozeWrong: 'Виберіть час у майбутньому, до кінця терміну пропозиції.',
  snoozedUntil: 'Відкладено до {time}',
  snoozedToast: 'Відкладено до {time}',
  unsnoozed: 'Повернуто до списку',
  emptySnoozed: 'Відкладені пропозиції залишаються тут, доки не повернуться до списку.',
  returns: 'Повернеться',
  riskLevels: { high: 'Високий ризик', medium: 'Середній ризик', low: 'Низький ризик' },
  riskScore: '{level} · {score, number} зі 100',
  riskReasonList: 'Причини ризику',
  riskReasons: {
    logic: 'Змінює логіку агента',
    memory: 'Змінює пам’ять агента',
    definition:
      'Змінює {count, plural, one {# визначення агента} few {# визначення агентів} many {# визначень агентів} other {# визначення агентів}}',
    removes_file: 'Видаляє {count, plural, one {# файл} few {# файли} many {# файлів} other {# файлу}}',
    deletions: 'Видаляє {count, plural, one {# рядок} few {# рядки} many {# рядків} other {# рядка}}',
    size: 'Змінює {count, plural, one {# рядок} few {# рядки} many {# рядків} other {# рядка}}',
    files: 'Змінює {count, plural, one {# файл} few {# файли} many {# файлів} other {# файлу}}',
    conflict: 'Конфліктує з поточним файлом',
    drift: 'Файл змінився після подання',
    tainted: 'Містить текст із неперевірених джерел',
    ungrounded:
      '{count, plural, =100 {Жодне джерело цього не підтверджує} one {#% джерел цього не підтверджує} few {#% джерел цього не підтверджують} many {#% джерел цього не підтверджують} other {#% джерел цього не підтверджують}}',
    new_version: 'Нічого від цієї версії агента ще не застосовано',
    rejected_before:
      'Відхилено тут {count, plural, one {# раз} few {# рази} many {# разів} other {# разу}} за 90 днів',
  },
  noDecisions: 'Немає рішень за 90 днів',
  approvedOf:
    'Схвалено {approved, number} з {decided, number} за {days, plural, one {# день} few {# дні} many {# днів} other {# дня}}',
  latestDecisions: 'Останні рішення, від найновішого: {words}',
  expiresToday: 'Спливає за 24 год',
  timeLeft: 'Час на рішення',
  notDrawn: 'Зміни ще не показано. Зачекайте, доки вони завантажаться.',
  unseenHunks:
    'Не переглянуто фрагментів: {unseen, number} з {total, number}. Натисніть ще раз, щоб усе одно схвалити.',
  dwell:
    'Високий ризик: переглядайте ще {seconds, plural, one {# секунду} few {# секунди} many {# секунд} other {# секунди}}',
  approveIn: 'Схвалити через {seconds, number} с',
  position: '{at, number} з {total, number} · залишилося {left, number}',
  positionLeast: '{at, number} з ≥ {total, number} · залишилося ≥ {left, number}',
  positionDone: 'Вирішено',
  sitting:
    '{done, plural, one {Вирішено # пропозицію} few {Вирішено # пропозиції} many {Вирішено # пропозицій} other {Вирішено # пропозиції}} за {time}: схвалено {approved, number}, відхилено {rejected, number}, відкладено {snoozed, number}, не застосовано {failed, number}',
  sittingFailure: 'Переглянути незастосовану пропозицію {n, number}',
}

export const sittingMessages = { en, uk }
