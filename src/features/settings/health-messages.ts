/** The words of system health: components, states, and what is wrong with one. */
const en = {
  health: 'Health',
  healthHint: 'Checked every 15 seconds. If storage is down, the system is critical.',
  component: 'Component',
  state: 'Status',
  latency: 'Latency',
  lastSuccess: 'Last success',
  message: 'Message',
  never: 'Never',
  components: {
    object_store: 'Object store',
    git_garden: 'Garden repository',
    git_memory: 'Memory repository',
    ledger: 'Database (PostgreSQL)',
    orchestration: 'Workers',
    nlm_backend: 'NotebookLM backend',
    memory_backend: 'Memory backend',
    control_plane: 'Membridge control plane',
    audit: 'Audit chain',
    stream: 'Projections',
  },
  states: {
    healthy: 'Healthy',
    degraded: 'Degraded',
    unavailable: 'Unavailable',
    not_configured: 'Not configured',
    stale: 'Stale',
  },
  healthReasons: {
    disk_full: 'The disk is full. Free up space to continue.',
    disk_low: 'Only {n} MiB of disk space left.',
    branch_missing: 'The garden’s branch can’t be read. Stop the console and run npm run repair-garden.',
    branch_rewound:
      'The branch is missing applied proposals ({n}). Stop the console and run npm run repair-garden.',
    branch_differs: 'The database and the branch don’t match (proposals: {n}). See the worker’s log.',
    repository_damaged:
      'Objects of the repository are missing or damaged ({n}). Stop the console and restore a backup, or copy the objects from a clone.',
    remote_diverged:
      'The remote has commits that the garden doesn’t have, so nothing is pushed and nothing is overwritten. Not pushed: {n}. See “A git remote” in README.',
    remote_refused: 'The remote refused the credentials. Not pushed: {n}. Check GARDEN_REMOTE.',
    remote_rejected:
      'The remote rejected the push, for example because its branch is protected. Not pushed: {n}.',
    remote_not_found:
      'There is no git repository at the remote’s address. Not pushed: {n}. Check GARDEN_REMOTE.',
    remote_unreachable: 'The remote can’t be reached. Not pushed: {n}. Pushes are retried automatically.',
    remote_timeout: 'The remote took too long. Not pushed: {n}. Pushes are retried automatically.',
    remote_no_git: 'A remote over SSH needs git and ssh on this machine. Not pushed: {n}.',
    remote_failed: 'Pushing to the remote failed. Not pushed: {n}. Pushes are retried automatically.',
    clock_skew: 'A worker’s clock differs from the database’s by {n} s. Synchronize the time.',
    object_lost: 'A written object couldn’t be read back.',
    schema_missing: 'The database is behind this version. Start the product again.',
    no_worker: 'No worker has sent a heartbeat in the last {n} seconds.',
    engine_idle: 'The orchestration engine isn’t starting any runs.',
    nlm_starting: 'The NotebookLM backend is starting.',
    nlm_dependency: 'The NotebookLM backend is up, but a service it needs isn’t responding.',
    nlm_silent: 'The NotebookLM backend isn’t responding.',
    control_plane_silent:
      'The Membridge control plane isn’t responding. See its log, or check MEMBRIDGE_URL.',
    control_plane_store: 'The Membridge control plane can’t reach the object store.',
    control_plane_ledger: 'The Membridge control plane can’t reach the database.',
    events_waiting: 'Events not in the object store yet: {n}.',
    not_projected: 'Some objects aren’t projected. They’re listed below.',
    audit_head_missing: 'The head of the chain is missing.',
    audit_failed: 'Verification failed. See the Audit page.',
    audit_unsealed: 'Events not sealed yet: {n}.',
    audit_unsigned: 'The head of the chain hasn’t been signed for two hours.',
  },
}

const uk: typeof en = {
  health: 'Стан системи',
  healthHint: 'Перевіряється кожні 15 секунд. Якщо сховище недоступне, стан системи критичний.',
  component: 'Компонент',
  state: 'Стан',
  latency: 'Затримка',
  lastSuccess: 'Остання успішна перевірка',
  message: 'Повідомлення',
  never: 'Ніколи',
  components: {
    object_store: 'Сховище об’єктів',
    git_garden: 'Репозиторій саду',
    git_memory: 'Репозиторій пам’яті',
    ledger: 'База даних (PostgreSQL)',
    orchestration: 'Виконавці',
    nlm_backend: 'Сервіс NotebookLM',
    memory_backend: 'Сервіс пам’яті',
    control_plane: 'Площина керування Membridge',
    audit: 'Ланцюг аудиту',
    stream: 'Проєкції',
  },
  states: {
    healthy: 'Працює',
    degraded: 'Працює з обмеженнями',
    unavailable: 'Недоступно',
    not_configured: 'Не налаштовано',
    stale: 'Немає сигналу',
  },
  healthReasons: {
    disk_full: 'Диск заповнено. Звільніть місце, щоб продовжити.',
    disk_low: 'На диску лишилося {n} МіБ.',
    branch_missing: 'Гілку саду не вдається прочитати. Зупиніть консоль і виконайте npm run repair-garden.',
    branch_rewound:
      'На гілці бракує застосованих пропозицій ({n}). Зупиніть консоль і виконайте npm run repair-garden.',
    branch_differs: 'База даних і гілка не збігаються (пропозицій: {n}). Дивіться журнал виконавця.',
    repository_damaged:
      'Об’єктів репозиторію бракує або вони пошкоджені ({n}). Зупиніть консоль і відновіть резервну копію або скопіюйте об’єкти з клону.',
    remote_diverged:
      'Віддалений репозиторій має коміти, яких немає в саду, тож нічого не надсилається й не перезаписується. Не надіслано: {n}. Див. «A git remote» у README.',
    remote_refused:
      'Віддалений репозиторій відхилив облікові дані. Не надіслано: {n}. Перевірте GARDEN_REMOTE.',
    remote_rejected:
      'Віддалений репозиторій відхилив надсилання, наприклад через захищену гілку. Не надіслано: {n}.',
    remote_not_found: 'За адресою немає репозиторію Git. Не надіслано: {n}. Перевірте GARDEN_REMOTE.',
    remote_unreachable:
      'Віддалений репозиторій недоступний. Не надіслано: {n}. Спроби повторюються автоматично.',
    remote_timeout:
      'Віддалений репозиторій відповідав надто довго. Не надіслано: {n}. Спроби повторюються автоматично.',
    remote_no_git:
      'Для віддаленого репозиторію через SSH на цій машині потрібні git і ssh. Не надіслано: {n}.',
    remote_failed: 'Надіслати зміни не вдалося. Не надіслано: {n}. Спроби повторюються автоматично.',
    clock_skew: 'Годинник виконавця розходиться з годинником бази даних на {n} с. Синхронізуйте час.',
    object_lost: 'Записаний об’єкт не вдалося прочитати.',
    schema_missing: 'База даних відстає від цієї версії. Запустіть систему знову.',
    no_worker: 'За останні {n} с жоден виконавець не надіслав сигналу активності.',
    engine_idle: 'Рушій оркестрації не починає запусків.',
    nlm_starting: 'Сервіс NotebookLM запускається.',
    nlm_dependency: 'Сервіс NotebookLM працює, але потрібний йому сервіс не відповідає.',
    nlm_silent: 'Сервіс NotebookLM не відповідає.',
    control_plane_silent:
      'Площина керування Membridge не відповідає. Дивіться її журнал або перевірте MEMBRIDGE_URL.',
    control_plane_store: 'Площина керування Membridge не має доступу до сховища об’єктів.',
    control_plane_ledger: 'Площина керування Membridge не має доступу до бази даних.',
    events_waiting: 'Подій, яких ще немає у сховищі об’єктів: {n}.',
    not_projected: 'Деякі об’єкти не спроєктовано. Їх перелічено нижче.',
    audit_head_missing: 'Вершини ланцюга бракує.',
    audit_failed: 'Перевірку не пройдено. Дивіться сторінку «Аудит».',
    audit_unsealed: 'Ще не зафіксовано подій: {n}.',
    audit_unsigned: 'Вершину ланцюга не підписували понад дві години.',
  },
}

export const healthMessages = { en, uk }
