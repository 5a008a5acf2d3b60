/** Replaying a run from a step. */
const en = {
  act: 'Rerun from step…',
  title: 'Rerun from a step',
  hint: 'Creates a new run. This one stays as it is.',
  from: 'Start from step',
  step: {
    context: '01 Load context',
    agent: '02 Execute agent',
    results: '03 Persist results',
  },
  notReached: '{step}: not available, an earlier step wasn’t completed',
  reused: 'Reused as stored',
  again: 'Executed again',
  nothing: 'Nothing',
  cost: {
    context:
      'The garden, the agent’s definition, and the context are read as they are now. Tool calls, jobs, and model tokens are used again.',
    agent: 'Definition and context stay as they were. Tool calls, jobs, and model tokens are used again.',
    results:
      'No tool calls, jobs, or model tokens are used. Proposals that were already made are kept, not created again; what was rejected by policy is submitted again.',
  },
  reason: 'Reason',
  confirm: 'Rerun',
  started: 'Rerun requested',
  of: 'Rerun of',
  fromStep: 'from step {n}',
  reruns: 'Reruns',
  why: 'Rerun reason',
  reusedFrom: 'Reused from',
  proposalReused: 'Reused',
}
const uk: typeof en = {
  act: 'Повторити з кроку…',
  title: 'Повторити запуск із кроку',
  hint: 'Буде створено новий запуск. Цей залишиться без змін.',
  from: 'Почати з кроку',
  step: {
    context: '01 Завантаження контексту',
    agent: '02 Виконання агента',
    results: '03 Збереження результатів',
  },
  notReached: '{step}: недоступно, попередній крок не завершено',
  reused: 'Буде використано збережене',
  again: 'Буде виконано знову',
  nothing: 'Нічого',
  cost: {
    context:
      'Сад, визначення агента й контекст буде прочитано такими, якими вони є зараз. Виклики інструментів, завдання й токени моделі буде витрачено знову.',
    agent:
      'Визначення й контекст залишаться такими, як були. Виклики інструментів, завдання й токени моделі буде витрачено знову.',
    results:
      'Виклики інструментів, завдання й токени моделі не витрачаються. Уже створені пропозиції залишаться й не створюватимуться знову; відхилене правилами буде подано знову.',
  },
  reason: 'Причина',
  confirm: 'Повторити',
  started: 'Повторний запуск створено',
  of: 'Повтор запуску',
  fromStep: 'з кроку {n}',
  reruns: 'Повторні запуски',
  why: 'Причина повтору',
  reusedFrom: 'Використано із запуску',
  proposalReused: 'Використано повторно',
}

export const rerun = { en, uk }
