/** The words of approving in part, or as edited. */
const en = {
  edit: 'Edit result',
  approveEdited: 'Approve as edited',
  approvedEdited: 'Approved as edited',
  editing: 'Edited result',
  editHint: 'Esc closes the editor. What you typed is kept in this tab.',
  editDone: 'Close editor',
  startOver: 'Start over',
  editSummary:
    'You approve {taken, number} of {total, plural, one {# change} other {# changes}}{lines, plural, =0 {} one {, # line edited} other {, # lines edited}}',
  editNothing: 'No change is left to approve. Reject the proposal instead.',
  editNoHunks: 'This file was edited. Start over to choose changes again.',
  editNotPossible: 'This file can only be approved as a whole.',
  editLost:
    'The file has changed, or the proposal was decided: your edits can no longer be approved. Copy what you need, then start over.',
  editLostText: 'What you wrote',
  editCopy: 'Copy what you wrote',
  editedByYou: 'Edited by you',
  rest: 'Remaining changes',
  restAs: { reject: 'Reject', propose: 'Propose again' },
  restNote: 'Note for the agent',
}

const uk: typeof en = {
  edit: 'Редагувати результат',
  approveEdited: 'Схвалити з правками',
  approvedEdited: 'Схвалено з правками',
  editing: 'Відредагований результат',
  editHint: 'Esc закриває редактор. Набране зберігається в цій вкладці.',
  editDone: 'Закрити редактор',
  startOver: 'Почати спочатку',
  editSummary:
    'Ви схвалюєте {taken, number} з {total, plural, one {# зміни} few {# змін} many {# змін} other {# зміни}}{lines, plural, =0 {} one {, відредаговано # рядок} few {, відредаговано # рядки} many {, відредаговано # рядків} other {, відредаговано # рядка}}',
  editNothing: 'Не лишилося змін для схвалення. Натомість відхиліть пропозицію.',
  editNoHunks: 'Цей файл відредаговано. Почніть спочатку, щоб знову обирати зміни.',
  editNotPossible: 'Цей файл можна схвалити лише повністю.',
  editLost:
    'Файл змінився, або пропозицію вже вирішено: ваші правки більше не можна схвалити. Скопіюйте потрібне й почніть спочатку.',
  editLostText: 'Що ви написали',
  editCopy: 'Скопіювати написане',
  editedByYou: 'Відредаговано вами',
  rest: 'Решта змін',
  restAs: { reject: 'Відхилити', propose: 'Запропонувати знову' },
  restNote: 'Примітка для агента',
}

export const editMessages = { en, uk }
