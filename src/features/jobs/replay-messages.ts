/** Words of doing an ended job once more. */
const en = {
  act: 'Replay',
  title: 'Replay this job?',
  hint: 'Creates a new job with high priority. This one and its artifact stay as they are.',
  inactive: '{agent} isn’t active: the new job waits until it is.',
  changed: 'The new job asks this question instead.',
  reason: 'Reason',
  started: 'Replay created',
  of: 'Replay of',
  replays: 'Replays',
}

const uk: typeof en = {
  act: 'Повторити',
  title: 'Повторити це завдання?',
  hint: 'Буде створено нове завдання з високим пріоритетом. Це завдання та його артефакт залишаться без змін.',
  inactive: 'Агент {agent} не активний: нове завдання чекатиме, доки його не активують.',
  changed: 'У новому завданні буде цей запит.',
  reason: 'Причина',
  started: 'Повторне завдання створено',
  of: 'Повтор завдання',
  replays: 'Повторні завдання',
}

export const replay = { en, uk }
