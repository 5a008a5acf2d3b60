/** The words of requesting changes. */
const en = {
  requestChanges: 'Request changes',
  changesRequested: 'Changes requested',
  changesSent: 'Changes requested. {agent} is running.',
  changesSend: 'Send to {agent}',
  changesNoAgent: 'No agent made this proposal. Edit it, or reject it.',
  changesProblem: {
    no_agent: 'No agent made this proposal. Edit it, or reject it.',
    agent_gone: 'The agent {agent} no longer exists, so nobody could make the changes.',
    agent_inactive: 'The agent {agent} isn’t active. Activate it, then request changes.',
    not_by_hand: 'The definition of {agent} allows no manual runs, so it can’t be asked for changes.',
  },
  changesSummary:
    '{comments, plural, =0 {No comments on lines} one {# comment} other {# comments}}{files, plural, =0 {} one { on # file} other { on # files}}',
  changesHint:
    'Comment on lines with the + beside them. Everything is sent once; until then it is kept in this tab.',
  changesNote: 'Note for the agent',
  changesNothing: 'Write a comment or a note first.',
  changesTooLong: 'Shorten the comments: {left, number} characters too many.',
  changesSiblings:
    '{count, plural, one {Replace the other pending proposal of this run, too} other {Replace the other # pending proposals of this run, too}}',
  changesDiscard: 'Discard comments',
  commentOn: 'Comment on line {line, number}',
  commentDone: 'Done',
  commentEdit: 'Edit comment',
  commentRemove: 'Remove comment',
  commentDraft: 'Draft comment',
  changesAwaited:
    '{agent} is working on the changes you requested. This proposal can be decided again when the run has ended.',
  changesReturned: {
    failed: 'The run failed, so nothing was changed. Decide on this proposal, or request changes again.',
    cancelled:
      'The run was cancelled, so nothing was changed. Decide on this proposal, or request changes again.',
    completed:
      'The agent finished without a new version of this proposal. Decide on it, or request changes again.',
    other:
      'The run has ended without a new version of this proposal. Decide on it, or request changes again.',
  },
  changesOpenRun: 'Open run',
  changesAnswer: 'This proposal answers the changes you requested.',
  changesAnswered: 'The agent answered with a new proposal.',
  changesOpenAnswer: 'Open new proposal',
  changesComments: 'Your comments',
  commentChanged: 'Changed',
  commentUnchanged: 'Unchanged',
  commentAt: '{path}, line {line, number}',
  commentAtRemoved: '{path}, removed line {line, number}',
  shownDiff: 'Shown difference',
  sinceReview: 'Since my review',
  wholeChange: 'Whole change',
  sinceReviewHint: 'Only what changed since your last review. Approving applies the whole change.',
  wholeChangeHint: 'The whole change, as it is approved.',
  wholeUnseen:
    'You see only what changed since your review. The whole has {total, plural, one {# change} other {# changes}}: W shows it. Press again to approve anyway.',
  wholeShown: 'The file changed after this was proposed. This is the whole change, as it would be approved.',
  supersedes: 'Supersedes',
  tabChanges: 'Changes requested',
  emptyChanges: 'Proposals whose agents work on changes that you requested appear here.',
}

const uk: typeof en = {
  requestChanges: 'Запросити зміни',
  changesRequested: 'Зміни запрошено',
  changesSent: 'Зміни запрошено. {agent} виконується.',
  changesSend: 'Надіслати: {agent}',
  changesNoAgent: 'Цю пропозицію створив не агент. Відредагуйте або відхиліть її.',
  changesProblem: {
    no_agent: 'Цю пропозицію створив не агент. Відредагуйте або відхиліть її.',
    agent_gone: 'Агента {agent} більше немає, тож нікому внести зміни.',
    agent_inactive: 'Агент {agent} неактивний. Активуйте його, а тоді запросіть зміни.',
    not_by_hand: 'Визначення {agent} не дозволяє ручних запусків, тож зміни запросити не можна.',
  },
  changesSummary:
    '{comments, plural, =0 {Немає коментарів до рядків} one {# коментар} few {# коментарі} many {# коментарів} other {# коментаря}}{files, plural, =0 {} one { у # файлі} few { у # файлах} many { у # файлах} other { у # файлу}}',
  changesHint:
    'Коментуйте рядки знаком + поруч. Усе надсилається один раз, а доти зберігається в цій вкладці.',
  changesNote: 'Примітка для агента',
  changesNothing: 'Спершу напишіть коментар або примітку.',
  changesTooLong: 'Скоротіть коментарі: зайвих символів {left, number}.',
  changesSiblings:
    '{count, plural, =1 {Замінити й іншу пропозицію цього запуску, що очікує} one {Замінити й інші # пропозицію цього запуску, що очікують} few {Замінити й інші # пропозиції цього запуску, що очікують} many {Замінити й інших # пропозицій цього запуску, що очікують} other {Замінити й інші # пропозиції цього запуску, що очікують}}',
  changesDiscard: 'Відкинути коментарі',
  commentOn: 'Коментар до рядка {line, number}',
  commentDone: 'Готово',
  commentEdit: 'Редагувати коментар',
  commentRemove: 'Вилучити коментар',
  commentDraft: 'Чернетка коментаря',
  changesAwaited:
    '{agent} працює над запрошеними змінами. Рішення можна буде ухвалити, коли запуск завершиться.',
  changesReturned: {
    failed: 'Запуск завершився помилкою, тож нічого не змінено. Ухваліть рішення або запросіть зміни ще раз.',
    cancelled: 'Запуск скасовано, тож нічого не змінено. Ухваліть рішення або запросіть зміни ще раз.',
    completed:
      'Агент завершив роботу без нової версії цієї пропозиції. Ухваліть рішення або запросіть зміни ще раз.',
    other: 'Запуск завершився без нової версії цієї пропозиції. Ухваліть рішення або запросіть зміни ще раз.',
  },
  changesOpenRun: 'Відкрити запуск',
  changesAnswer: 'Ця пропозиція відповідає на запрошені вами зміни.',
  changesAnswered: 'Агент відповів новою пропозицією.',
  changesOpenAnswer: 'Відкрити нову пропозицію',
  changesComments: 'Ваші коментарі',
  commentChanged: 'Змінено',
  commentUnchanged: 'Без змін',
  commentAt: '{path}, рядок {line, number}',
  commentAtRemoved: '{path}, вилучений рядок {line, number}',
  shownDiff: 'Показана різниця',
  sinceReview: 'Після мого розгляду',
  wholeChange: 'Уся зміна',
  sinceReviewHint: 'Лише те, що змінилося після вашого розгляду. Схвалення застосовує всю зміну.',
  wholeChangeHint: 'Уся зміна, як її буде схвалено.',
  wholeUnseen:
    'Показано лише те, що змінилося після вашого розгляду. Усього {total, plural, one {# зміна} few {# зміни} many {# змін} other {# зміни}}: їх покаже W. Натисніть ще раз, щоб усе одно схвалити.',
  wholeShown: 'Файл змінився після створення пропозиції. Це вся зміна, як її було б схвалено.',
  supersedes: 'Замінює',
  tabChanges: 'Запрошено зміни',
  emptyChanges: 'Тут з’являються пропозиції, над запрошеними змінами яких працюють агенти.',
}

export const changeMessages = { en, uk }
