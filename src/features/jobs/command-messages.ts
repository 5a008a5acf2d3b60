/** Words of the commands on many jobs, and of the errors by their code. */
const bulkEn = {
  requeue: {
    all: 'Requeue all matching…',
    selected: '{count, plural, one {Requeue # job} other {Requeue # jobs}}',
    title: '{count, plural, one {Requeue # job} other {Requeue # jobs}}?',
    hint: 'Only these jobs are requeued, even if others match later. Your reason is recorded in the audit log.',
    done: '{count, plural, one {# job requeued} other {# jobs requeued}}',
    each: 'Requeued',
  },
  cancel: {
    all: 'Cancel all matching…',
    selected: '{count, plural, one {Cancel # job} other {Cancel # jobs}}',
    title: '{count, plural, one {Cancel # job} other {Cancel # jobs}}?',
    hint: 'These jobs stop at the next checkpoint. Your reason is recorded in the audit log.',
    done: '{count, plural, one {# job cancelled} other {# jobs cancelled}}',
    each: 'Cancelled',
  },
  fail: {
    all: 'Mark all matching as failed…',
    selected: '{count, plural, one {Mark # job as failed} other {Mark # jobs as failed}}',
    title: '{count, plural, one {Mark # job as failed} other {Mark # jobs as failed}}?',
    hint: 'These jobs stay failed until someone requeues them. Your reason is recorded in the audit log.',
    done: '{count, plural, one {# job marked as failed} other {# jobs marked as failed}}',
    each: 'Marked as failed',
  },
}
const bulkUk: typeof bulkEn = {
  requeue: {
    all: 'Повернути в чергу всі знайдені…',
    selected:
      '{count, plural, one {Повернути в чергу # завдання} few {Повернути в чергу # завдання} many {Повернути в чергу # завдань} other {Повернути в чергу # завдання}}',
    title:
      '{count, plural, one {Повернути в чергу # завдання} few {Повернути в чергу # завдання} many {Повернути в чергу # завдань} other {Повернути в чергу # завдання}}?',
    hint: 'У чергу повернуться лише ці завдання, навіть якщо згодом з’являться інші. Причину буде записано в журнал аудиту.',
    done: '{count, plural, one {# завдання повернуто в чергу} few {# завдання повернуто в чергу} many {# завдань повернуто в чергу} other {# завдання повернуто в чергу}}',
    each: 'Повернуто в чергу',
  },
  cancel: {
    all: 'Скасувати всі знайдені…',
    selected:
      '{count, plural, one {Скасувати # завдання} few {Скасувати # завдання} many {Скасувати # завдань} other {Скасувати # завдання}}',
    title:
      '{count, plural, one {Скасувати # завдання} few {Скасувати # завдання} many {Скасувати # завдань} other {Скасувати # завдання}}?',
    hint: 'Ці завдання зупиняться на найближчій контрольній точці. Причину буде записано в журнал аудиту.',
    done: '{count, plural, one {# завдання скасовано} few {# завдання скасовано} many {# завдань скасовано} other {# завдання скасовано}}',
    each: 'Скасовано',
  },
  fail: {
    all: 'Позначити всі знайдені як невдалі…',
    selected:
      '{count, plural, one {Позначити # завдання як невдале} few {Позначити # завдання як невдалі} many {Позначити # завдань як невдалі} other {Позначити # завдання як невдалі}}',
    title:
      '{count, plural, one {Позначити # завдання як невдале} few {Позначити # завдання як невдалі} many {Позначити # завдань як невдалі} other {Позначити # завдання як невдалі}}?',
    hint: 'Ці завдання залишаться невдалими, доки їх не повернуть у чергу. Причину буде записано в журнал аудиту.',
    done: '{count, plural, one {# завдання позначено як невдале} few {# завдання позначено як невдалі} many {# завдань позначено як невдалі} other {# завдання позначено як невдалі}}',
    each: 'Позначено як невдале',
  },
}
export const bulk = { en: bulkEn, uk: bulkUk }

const errorsEn = {
  CONTEXT_TIMEOUT: 'Context assembly timed out',
  RATE_LIMIT: 'The NotebookLM backend is over its rate limit',
  NLM_UNAVAILABLE: 'The NotebookLM backend couldn’t be reached',
  NLM_TIMEOUT: 'The NotebookLM backend timed out',
  STRUCTURE_ERROR: 'The answer didn’t have the required structure',
  STORAGE_ERROR: 'The artifact couldn’t be stored',
  LEASE_LOST: 'The worker stopped before the job finished',
  VALIDATION_ERROR: 'The job’s input isn’t valid',
  NLM_REFUSED: 'The NotebookLM backend refused the request',
  AGENT_NOT_ACTIVE: 'The agent doesn’t exist or is archived',
  CANCELLED: 'Cancelled manually',
  OPERATOR_FAILED: 'Marked as failed manually',
}
const errorsUk: typeof errorsEn = {
  CONTEXT_TIMEOUT: 'Вичерпано час на збирання контексту',
  RATE_LIMIT: 'Перевищено ліміт запитів до сервісу NotebookLM',
  NLM_UNAVAILABLE: 'Сервіс NotebookLM недоступний',
  NLM_TIMEOUT: 'Сервіс NotebookLM не відповів вчасно',
  STRUCTURE_ERROR: 'Відповідь не має потрібної структури',
  STORAGE_ERROR: 'Не вдалося зберегти артефакт',
  LEASE_LOST: 'Виконавець зупинився, не завершивши завдання',
  VALIDATION_ERROR: 'Вхідні дані завдання некоректні',
  NLM_REFUSED: 'Сервіс NotebookLM відхилив запит',
  AGENT_NOT_ACTIVE: 'Агента немає, або його архівовано',
  CANCELLED: 'Скасовано вручну',
  OPERATOR_FAILED: 'Позначено як невдале вручну',
}
export const errors = { en: errorsEn, uk: errorsUk }
