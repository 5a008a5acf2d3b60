import type { Caller } from '#domain/authority/caller.ts'

/** What the fixed words of an event are called: kinds of objects, roles, and channels. */
const en = {
  types: {
    proposal: 'Proposal',
    run: 'Run',
    job: 'Job',
    job_failures: 'Failure group',
    inbox: 'Inbox Entry',
    artifact: 'Artifact',
    agent: 'Agent',
    zone: 'Zone',
    key: 'Machine key',
    alert: 'Alert',
    account: 'Account',
    session: 'Session',
    setting: 'Setting',
    component: 'Component',
    endpoint: 'API endpoint',
    projection: 'Projection',
    audit: 'Audit',
    storage: 'Object store',
    task: 'Task',
    lease: 'Lease',
  },
  roles: {
    owner: 'Owner',
    operator: 'Operator',
    guest: 'Guest',
    agent: 'Agent',
    node: 'Worker Node',
    service: 'Service',
    anonymous: 'Not signed in',
  } satisfies Record<Caller['role'], string>,
  channels: {
    console: 'Console',
    api: 'API',
    'control-plane': 'Control plane',
    system: 'System',
  } satisfies Record<Caller['via'], string>,
}

const uk: typeof en = {
  types: {
    proposal: 'Пропозиція',
    run: 'Запуск',
    job: 'Завдання',
    job_failures: 'Група помилок',
    inbox: 'Вхідний запис',
    artifact: 'Артефакт',
    agent: 'Агент',
    zone: 'Зона',
    key: 'Машинний ключ',
    alert: 'Сповіщення',
    account: 'Обліковий запис',
    session: 'Сеанс',
    setting: 'Налаштування',
    component: 'Компонент',
    endpoint: 'Метод API',
    projection: 'Проєкція',
    audit: 'Аудит',
    storage: 'Сховище об’єктів',
    task: 'Робота',
    lease: 'Оренда',
  },
  roles: {
    owner: 'Власник',
    operator: 'Оператор',
    guest: 'Гість',
    agent: 'Агент',
    node: 'Робочий вузол',
    service: 'Сервіс',
    anonymous: 'Без входу',
  },
  channels: { console: 'Консоль', api: 'API', 'control-plane': 'Сервер керування', system: 'Система' },
}

export const words = { en, uk }
