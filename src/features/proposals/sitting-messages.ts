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
  position: '{at, number} з {total, number} · залишилося {left, number}',
  positionLeast: '{at, number} з ≥ {total, number} · залишилося ≥ {left, number}',
  positionDone: 'Вирішено',
  sitting:
    '{done, plural, one {Вирішено # пропозицію} few {Вирішено # пропозиції} many {Вирішено # пропозицій} other {Вирішено # пропозиції}} за {time}: схвалено {approved, number}, відхилено {rejected, number}, відкладено {snoozed, number}, не застосовано {failed, number}',
  sittingFailure: 'Переглянути незастосовану пропозицію {n, number}',
}

export const sittingMessages = { en, uk }
