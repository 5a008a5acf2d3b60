const en = {
  title: 'API reference',
  sentence:
    '{count, plural, one {# operation} other {# operations}}. Programs sign in for a bearer token first.',
  document: 'OpenAPI document',
  search: 'Search path or summary',
  nothing: 'No operation matches',
  operation: 'Operation',
  unknown: 'No such operation',
  unknownHint: 'It may have been renamed. Choose one from the list.',
  callers: 'Who may call',
  anybody: 'Anybody',
  key: 'A component with its key',
  roles: { owner: 'Owner', operator: 'Operator', guest: 'Guest' },
  stepUp: 'after entering the password again',
  example: 'Example',
  copy: 'Copy',
  copied: 'Copied',
  parameters: 'Parameters',
  body: 'Request body',
  answer: 'Response {status}',
  noFields: 'No JSON body.',
  errors: 'Errors come in one envelope: error.code, error.message, error.details, correlation_id.',
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
    '{count, plural, one {# операція} few {# операції} many {# операцій} other {# операції}}. Програми спершу входять, щоб отримати токен.',
  document: 'Документ OpenAPI',
  search: 'Шукати за шляхом або описом',
  nothing: 'Жодна операція не відповідає запиту',
  operation: 'Операція',
  unknown: 'Такої операції немає',
  unknownHint: 'Можливо, її перейменовано. Виберіть іншу зі списку.',
  callers: 'Хто може викликати',
  anybody: 'Будь-хто',
  key: 'Компонент зі своїм ключем',
  roles: { owner: 'Власник', operator: 'Оператор', guest: 'Гість' },
  stepUp: 'після повторного введення пароля',
  example: 'Приклад',
  copy: 'Копіювати',
  copied: 'Скопійовано',
  parameters: 'Параметри',
  body: 'Тіло запиту',
  answer: 'Відповідь {status}',
  noFields: 'Без тіла JSON.',
  errors: 'Помилки мають одну форму: error.code, error.message, error.details, correlation_id.',
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
