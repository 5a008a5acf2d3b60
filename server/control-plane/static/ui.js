/** The page of the control plane: what `/health` says, in English or Ukrainian, asked again every ten seconds while the tab is visible. */

const REFRESH_MS = 10_000
const STORED_LANGUAGE = 'membridge-language'

const TEXTS = {
  en: {
    title: 'Membridge Control Plane',
    console: 'Open console',
    health: 'Health',
    loading: 'Loading…',
    version: 'Version',
    database: 'Database',
    store: 'Object store',
    projects: 'Projects',
    agents: 'Worker Nodes',
    ok: 'OK',
    failing: 'Failing',
    well: 'The control plane is operational.',
    noStore: 'The object store isn’t responding. Check its address and credentials.',
    noDatabase: 'The database isn’t responding. Check that PostgreSQL is running.',
    silent: 'The control plane isn’t responding. This page retries automatically.',
    other: 'Українська',
  },
  uk: {
    title: 'Площина керування Membridge',
    console: 'Відкрити консоль',
    health: 'Стан системи',
    loading: 'Завантаження…',
    version: 'Версія',
    database: 'База даних',
    store: 'Сховище об’єктів',
    projects: 'Проєкти',
    agents: 'Робочі вузли',
    ok: 'Працює',
    failing: 'Не відповідає',
    well: 'Площина керування працює.',
    noStore: 'Сховище об’єктів не відповідає. Перевірте його адресу й облікові дані.',
    noDatabase: 'База даних не відповідає. Перевірте, чи працює PostgreSQL.',
    silent: 'Площина керування не відповідає. Сторінка повторює спроби автоматично.',
    other: 'English',
  },
}

const kept = localStorage.getItem(STORED_LANGUAGE)
let language = kept === 'uk' || kept === 'en' ? kept : navigator.language.startsWith('uk') ? 'uk' : 'en'
/** What was last received: the health, null while the control plane does not answer, undefined before the first answer. */
let received

const byId = (id) => document.getElementById(id)

function show() {
  const texts = TEXTS[language]
  document.documentElement.lang = language
  document.title = texts.title
  for (const element of document.querySelectorAll('[data-text]'))
    element.textContent = texts[element.dataset.text]
  const button = byId('language')
  button.textContent = texts.other
  button.lang = language === 'en' ? 'uk' : 'en'
  if (received === undefined) return
  byId('summary').textContent = texts[summaryOf(received)]
  for (const name of ['version', 'projects', 'agents']) byId(name).textContent = received?.[name] ?? '–'
  for (const name of ['database', 'store']) {
    byId(name).textContent = texts[received?.[name]] ?? '–'
    byId(name).dataset.state = received?.[name] ?? ''
  }
}

function summaryOf(health) {
  if (!health) return 'silent'
  if (health.database === 'failing') return 'noDatabase'
  if (health.store === 'failing') return 'noStore'
  return health.status === 'ok' ? 'well' : 'silent'
}

async function refresh() {
  if (document.hidden) return
  received = await fetch('/health')
    .then((answer) => answer.json())
    .catch(() => null)
  show()
}

byId('language').addEventListener('click', () => {
  language = language === 'en' ? 'uk' : 'en'
  localStorage.setItem(STORED_LANGUAGE, language)
  show()
})
document.addEventListener('visibilitychange', refresh)
setInterval(refresh, REFRESH_MS)
show()
refresh()
