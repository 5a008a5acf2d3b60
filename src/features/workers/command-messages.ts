/** What can be done to a worker, and what is asked before. */
const en = {
  actions: 'Actions',
  actionsOf: 'Actions for worker {worker}',
  drain: 'Drain',
  resume: 'Resume',
  release: 'Take tasks away',
  correct: 'Correct address',
  reset: 'Reset breaker',
  remove: 'Remove',
  drainTitle: 'Drain {worker}?',
  drainHint: 'The worker finishes the tasks it has and gets no new ones. Your reason is shown beside it.',
  resumeTitle: 'Resume {worker}?',
  resumeHint: 'The worker gets tasks again.',
  releaseTitle: 'Take all tasks away from {worker}?',
  releaseHint:
    '{count, plural, one {# lease ends now and its task goes} other {# leases end now and their tasks go}} to another worker. What the worker has done so far doesn’t count.',
  correctTitle: 'Correct the address of {worker}',
  correctHint:
    'Tasks are sent there whatever the worker registers. Leave it empty to use the registered address.',
  addressField: 'Address',
  addressExample: 'For example https://orange.example:8080, without a query.',
  resetTitle: 'Reset the breaker of {worker}?',
  resetHint: 'The worker can get tasks at once, and its failures are counted anew.',
  removeTitle: 'Remove {worker}?',
  removeHint:
    'The worker gets no more tasks and isn’t called again. Its history stays. You’re asked for your password.',
  force: '{count, plural, one {Take its # active task away} other {Take its # active tasks away}}',
  forceMissing: 'The worker has active leases. Take its tasks away first, or select the option.',
  drainDone: 'Worker drained',
  resumeDone: 'Worker resumed',
  releaseDone:
    '{count, plural, =0 {No task to take away} one {# task taken away} other {# tasks taken away}}',
  correctDone: 'Address corrected',
  resetDone: 'Breaker reset',
  removeDone: 'Worker removed',
  nothingToRelease: 'The worker has no tasks',
  breakerClosed: 'The breaker is closed',
}

const uk: typeof en = {
  actions: 'Дії',
  actionsOf: 'Дії з вузлом {worker}',
  drain: 'Вивести з роботи',
  resume: 'Повернути до роботи',
  release: 'Забрати завдання',
  correct: 'Виправити адресу',
  reset: 'Скинути запобіжник',
  remove: 'Вилучити',
  drainTitle: 'Вивести {worker} з роботи?',
  drainHint: 'Вузол закінчить завдання, які має, і не отримає нових. Причину буде показано поруч із ним.',
  resumeTitle: 'Повернути {worker} до роботи?',
  resumeHint: 'Вузол знову отримуватиме завдання.',
  releaseTitle: 'Забрати всі завдання у вузла {worker}?',
  releaseHint:
    'Закінчиться {count, plural, one {# оренда} few {# оренди} many {# оренд} other {# оренди}}, і завдання отримає інший вузол. Зроблене досі не враховується.',
  correctTitle: 'Виправити адресу вузла {worker}',
  correctHint:
    'Завдання надсилатимуться туди, хоч би що реєстрував вузол. Залиште порожнім, щоб діяла зареєстрована адреса.',
  addressField: 'Адреса',
  addressExample: 'Наприклад, https://orange.example:8080, без параметрів запиту.',
  resetTitle: 'Скинути запобіжник вузла {worker}?',
  resetHint: 'Вузол зможе одразу отримувати завдання, а його помилки рахуватимуться заново.',
  removeTitle: 'Вилучити {worker}?',
  removeHint:
    'Вузол більше не отримуватиме завдань, і до нього не звертатимуться. Його історія залишиться. Потрібно буде ввести пароль.',
  force:
    '{count, plural, one {Забрати # його чинне завдання} few {Забрати # його чинні завдання} many {Забрати # його чинних завдань} other {Забрати # його чинного завдання}}',
  forceMissing: 'Вузол має чинні оренди. Спершу заберіть його завдання або позначте цей параметр.',
  drainDone: 'Вузол виведено з роботи',
  resumeDone: 'Вузол повернуто до роботи',
  releaseDone:
    '{count, plural, =0 {Забирати нічого} one {Забрано # завдання} few {Забрано # завдання} many {Забрано # завдань} other {Забрано # завдання}}',
  correctDone: 'Адресу виправлено',
  resetDone: 'Запобіжник скинуто',
  removeDone: 'Вузол вилучено',
  nothingToRelease: 'Вузол не має завдань',
  breakerClosed: 'Запобіжник не спрацював',
}

export const command = { en, uk }
