import { stem, words } from './tokenize.ts'

/**
 * The vocabulary of the product in its three languages, so that a question in Ukrainian finds a note in English. One row is one concept; a
 * word of it in a question also looks for the others, at a lower weight. Data, not a translation: a word that stands in no row is looked
 * for as it is.
 */
const ROWS = [
  'lease оренда оренди лізинг аренда',
  'leadership leader primary лідерство лідер лидерство лидер',
  'expire expired expires expiry expiration минув минає минула минуло сплив вичерпано закінчився протермінований прострочений истек истекла истекает просрочен',
  'term ttl duration термін строк срок',
  'secondary follower вторинний вторичный',
  'promote promotion failover select підвищення обрання обрати перемикання повышение переключение',
  'proposal propose пропозиція запропонувати предложение предложить',
  'approve approval consent схвалити схвалення згода погодження одобрить одобрение согласие',
  'reject rejection відхилити відхилення отклонить отклонение',
  'apply applied застосувати застосування застосовано применить применение',
  'agent агент',
  'run execution запуск виконання запуск выполнение',
  'job task завдання задача робота задание',
  'queue queued черга очередь',
  'artifact артефакт',
  'note нотатка заметка',
  'memory пам’ять память',
  'storage store сховище зберігання хранилище',
  'backup бекап резервна копія резервная копия',
  'restore recovery recover відновлення відновити восстановление восстановить',
  'retry backoff повтор повторити спроба повторить попытка',
  'error failure fail failed помилка збій ошибка сбой отказ',
  'lock блокування замок блокировка',
  'node вузол узел',
  'worker воркер працівник исполнитель',
  'heartbeat пульс серцебиття',
  'sync synchronization синхронізація синхронизация',
  'push публікація відправлення отправка',
  'pull отримання завантаження получение загрузка',
  'key secret ключ секрет',
  'access authority permission доступ повноваження право дозвіл полномочие разрешение',
  'owner власник владелец',
  'guest гість гость',
  'zone зона',
  'audit аудит журнал',
  'deploy deployment розгортання развертывание',
  'install installation встановлення інсталяція установка',
  'config configuration settings налаштування конфігурація настройка конфигурация',
  'migration migrate міграція миграция',
  'server сервер',
  'database db база даних база данных',
  'pipeline конвеєр конвейер',
  'context контекст',
  'orchestration orchestrator оркестрація оркестратор оркестрация',
  'graph граф',
  'link wikilink посилання зв’язок ссылка связь',
  'document documentation документ документація документация',
  'state status стан статус состояние',
  'frontend interface ui інтерфейс фронтенд интерфейс',
  'limit quota межа ліміт обмеження квота предел лимит ограничение',
  'security безпека безопасность',
  'version revision версія ревізія версия',
  'delete remove видалити видалення удалить удаление',
  'create створити створення создать создание',
  'conflict конфлікт конфликт',
  'architecture архітектура архитектура',
  'role роль',
  'backend бекенд бэкенд',
  'unavailable offline недоступний недоступность недоступен',
  'write written запис записати запись записать',
  'rule policy правило політика политика',
]

const rowsOf = new Map<string, Set<string>>()
for (const row of ROWS) {
  const stems = [...new Set(words(row).map(stem))]
  for (const s of stems) rowsOf.set(s, new Set([...(rowsOf.get(s) ?? []), ...stems]))
}

/** Stems of the same concept in the other languages, without the given one; empty when no row holds it. */
export function related(stemOfWord: string): string[] {
  return [...(rowsOf.get(stemOfWord) ?? [])].filter((s) => s !== stemOfWord)
}
