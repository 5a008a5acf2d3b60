const en = {
  title: 'API reference',
  sentence: '{count, plural, one {# operation} other {# operations}}. Sign in to get a bearer token.',
  document: 'OpenAPI document',
  search: 'Search path or summary',
  nothing: 'No results',
  operation: 'Operation',
  unknown: 'Operation not found',
  unknownHint: 'The operation may have been renamed. Choose another one from the list.',
  callers: 'Who can call',
  anybody: 'Anyone',
  key: 'Components with a machine key',
  roles: { owner: 'Owner', operator: 'Operator', guest: 'Guest' },
  stepUp: 'password confirmation required',
  example: 'Example',
  copy: 'Copy',
  copied: 'Copied',
  parameters: 'Parameters',
  body: 'Request body',
  answer: 'Response {status}',
  noFields: 'No JSON body.',
  errors: 'All errors use one envelope: error.code, error.message, error.details, correlation_id.',
  name: 'Field',
  type: 'Type',
  limits: 'Constraints',
  required: 'required',
  inPath: 'path',
  inQuery: 'query',
}

const uk: typeof en = {
  title: 'Довідник API',
  sentence:
    '{count, plural, one {# операція} few {# операції} many {# операцій} other {# операції}}. Увійдіть, щоб отримати токен.',
  document: 'Документ OpenAPI',
  search: 'Шукати за шляхом або описом',
  nothing: 'Нічого не знайдено',
  operation: 'Операція',
  unknown: 'Операцію не знайдено',
  unknownHint: 'Можливо, операцію перейменовано. Виберіть іншу зі списку.',
  callers: 'Хто може викликати',
  anybody: 'Будь-хто',
  key: 'Компоненти з машинним ключем',
  roles: { owner: 'Власник', operator: 'Оператор', guest: 'Гість' },
  stepUp: 'потрібне підтвердження пароля',
  example: 'Приклад',
  copy: 'Копіювати',
  copied: 'Скопійовано',
  parameters: 'Параметри',
  body: 'Тіло запиту',
  answer: 'Відповідь {status}',
  noFields: 'Без тіла JSON.',
  errors: 'Усі помилки мають однакову структуру: error.code, error.message, error.details, correlation_id.',
  name: 'Поле',
  type: 'Тип',
  limits: 'Обмеження',
  required: 'обов’язкове',
  inPath: 'шлях',
  inQuery: 'параметр запиту',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    api: typeof messages.en
  }
}
