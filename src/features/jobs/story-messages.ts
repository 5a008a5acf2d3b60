/** Words of one job's page: why it failed, and its attempts on a time axis. */
const en = {
  verdict: {
    dead: '{alike, select, yes {Dead: {count, plural, one {its only attempt failed.} other {all # attempts failed with the same error.}}} other {Dead: all {count} attempts failed. The last error:}}',
    exhausted:
      '{alike, select, yes {Failed: {count, plural, one {its only attempt failed.} other {all # attempts failed with the same error.}}} other {Failed: all {count} attempts failed. The last error:}}',
    invalid: 'Failed without a retry: another attempt would end the same way.',
    refused: 'Failed before its first attempt.',
    operator: 'Marked as failed by {actor}.',
    cancelled: 'Cancelled by {actor}.',
    next: {
      requeue: 'Nothing runs it again until someone requeues it.',
      again: 'Change the question or the agent, and start a new job.',
      agent: 'Activate the agent or restore it, then requeue the job.',
    },
  },
  openAgent: 'Open agent',
  worked: '{count, plural, one {Worked {time} in # attempt} other {Worked {time} in # attempts}}',
  queuedFor: 'queued for {time} before',
  earlierRound: 'Before it was requeued; queued',
  segment: { queue: 'Queue', backoff: 'Backoff', now: 'Now' },
  legend: 'Legend',
  showTable: 'Show as table',
  started: 'Started',
}

const uk: typeof en = {
  verdict: {
    dead: '{alike, select, yes {Мертве: {count, plural, =1 {єдина спроба невдала.} one {# спроба завершилася тією самою помилкою.} few {усі # спроби завершилися тією самою помилкою.} many {усі # спроб завершилися тією самою помилкою.} other {усі # спроби завершилися тією самою помилкою.}}} other {Мертве: {count, plural, one {# спроба невдала.} few {усі # спроби невдалі.} many {усі # спроб невдалі.} other {усі # спроби невдалі.}} Остання помилка:}}',
    exhausted:
      '{alike, select, yes {Помилка: {count, plural, =1 {єдина спроба невдала.} one {# спроба завершилася тією самою помилкою.} few {усі # спроби завершилися тією самою помилкою.} many {усі # спроб завершилися тією самою помилкою.} other {усі # спроби завершилися тією самою помилкою.}}} other {Помилка: {count, plural, one {# спроба невдала.} few {усі # спроби невдалі.} many {усі # спроб невдалі.} other {усі # спроби невдалі.}} Остання помилка:}}',
    invalid: 'Помилка без повтору: нова спроба закінчилася б так само.',
    refused: 'Помилка ще до першої спроби.',
    operator: 'Позначено як невдале. Хто: {actor}.',
    cancelled: 'Скасовано. Хто: {actor}.',
    next: {
      requeue: 'Воно не запуститься знову, доки його не повернуть у чергу.',
      again: 'Змініть запит або агента й створіть нове завдання.',
      agent: 'Активуйте або відновіть агента, а потім поверніть завдання в чергу.',
    },
  },
  openAgent: 'Відкрити агента',
  worked:
    '{count, plural, one {Час роботи {time}, # спроба} few {Час роботи {time}, # спроби} many {Час роботи {time}, # спроб} other {Час роботи {time}, # спроби}}',
  queuedFor: 'до того в черзі {time}',
  earlierRound: 'До повернення в чергу; поставлено в чергу',
  segment: { queue: 'Черга', backoff: 'Пауза перед повтором', now: 'Зараз' },
  legend: 'Умовні позначення',
  showTable: 'Показати таблицею',
  started: 'Початок',
}

export const story = { en, uk }
