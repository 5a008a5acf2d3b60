const en = {
  title: 'Settings',
  healthy: 'Everything answers.',
  degraded: '{count, plural, one {# component needs} other {# components need}} a look.',
  critical: 'Canonical storage does not answer; nothing can be changed now.',
  health: 'Health',
  healthHint:
    'Probed every 15 seconds. Storage decides: without it the system is critical, whatever else runs.',
  component: 'Component',
  state: 'State',
  latency: 'Answer',
  lastSuccess: 'Last success',
  message: 'What it says',
  never: 'never',
  components: {
    object_store: 'Object store',
    git_garden: 'Garden repository',
    ledger: 'Ledger (PostgreSQL)',
    orchestration: 'Workers',
    nlm_backend: 'NotebookLM Backend',
    audit: 'Audit chain',
    stream: 'Projections',
  },
  states: {
    healthy: 'Healthy',
    degraded: 'Degraded',
    unavailable: 'Unavailable',
    not_configured: 'Not configured',
    stale: 'Not heard of lately',
  },
  about: 'About',
  version: 'Version',
  api: 'API description',
}

const uk: typeof en = {
  title: 'Налаштування',
  healthy: 'Усе відповідає.',
  degraded:
    '{count, plural, one {# складова потребує} few {# складові потребують} many {# складових потребують} other {# складової потребують}} уваги.',
  critical: 'Основне сховище не відповідає; зараз нічого не можна змінити.',
  health: 'Стан',
  healthHint:
    'Перевіряється кожні 15 секунд. Вирішує сховище: без нього стан критичний, хоч би що працювало.',
  component: 'Складова',
  state: 'Стан',
  latency: 'Відповідь',
  lastSuccess: 'Востаннє справна',
  message: 'Що каже',
  never: 'ніколи',
  components: {
    object_store: 'Сховище об’єктів',
    git_garden: 'Репозиторій саду',
    ledger: 'Реєстр (PostgreSQL)',
    orchestration: 'Виконавці',
    nlm_backend: 'NotebookLM Backend',
    audit: 'Ланцюг аудиту',
    stream: 'Проєкції',
  },
  states: {
    healthy: 'Справна',
    degraded: 'Погіршена',
    unavailable: 'Недоступна',
    not_configured: 'Не налаштована',
    stale: 'Давно не чути',
  },
  about: 'Про систему',
  version: 'Версія',
  api: 'Опис API',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    settings: typeof messages.en
  }
}
