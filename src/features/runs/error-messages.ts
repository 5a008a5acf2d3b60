import type { RunErrorCode } from '#contracts/run.contract.ts'

/** Why a run failed, by the code of its error. */
const en: Record<RunErrorCode, string> = {
  AGENT_NOT_ACTIVE: 'The agent isn’t active',
  DEFINITION_INVALID: 'The agent’s definition has errors',
  UPSTREAM_UNAVAILABLE: 'A backend service didn’t respond',
  NLM_UNAVAILABLE: 'The NotebookLM backend couldn’t be reached',
  MODEL_UNAVAILABLE: 'The language model isn’t available',
  OUTPUT_INVALID: 'The agent’s output isn’t valid',
  BUDGET_EXCEEDED: 'The run exceeded its budget',
  TOOL_DENIED: 'The agent called a tool that it may not use',
  AGENT_TIMEOUT: 'The run exceeded its time limit',
  STEP_TIMEOUT: 'A step exceeded its time limit',
  CHECKPOINT_MISMATCH: 'A stored step doesn’t match this run',
  STORAGE_UNAVAILABLE: 'Storage was unavailable',
  QUESTION_EXPIRED: 'Nobody answered the agent’s question in time',
  INTERNAL_ERROR: 'An unexpected error occurred',
}
const uk: typeof en = {
  AGENT_NOT_ACTIVE: 'Агент неактивний',
  DEFINITION_INVALID: 'У визначенні агента є помилки',
  UPSTREAM_UNAVAILABLE: 'Один із внутрішніх сервісів не відповів',
  NLM_UNAVAILABLE: 'Сервіс NotebookLM недоступний',
  MODEL_UNAVAILABLE: 'Мовна модель недоступна',
  OUTPUT_INVALID: 'Результат агента некоректний',
  BUDGET_EXCEEDED: 'Запуск перевищив бюджет',
  TOOL_DENIED: 'Агент викликав недозволений інструмент',
  AGENT_TIMEOUT: 'Запуск перевищив ліміт часу',
  STEP_TIMEOUT: 'Крок перевищив ліміт часу',
  CHECKPOINT_MISMATCH: 'Збережений крок не відповідає цьому запуску',
  STORAGE_UNAVAILABLE: 'Сховище було недоступне',
  QUESTION_EXPIRED: 'На запитання агента ніхто вчасно не відповів',
  INTERNAL_ERROR: 'Сталася неочікувана помилка',
}

export const errors = { en, uk }
