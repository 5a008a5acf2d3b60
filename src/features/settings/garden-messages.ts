/** The words of the garden's repository: its remote and the check of its objects. */

const en = {
  gardenHint: 'Notes and their history. A git remote keeps a copy of the branch elsewhere.',
  gardenRemote: 'Git remote',
  gardenPushed: 'Last pushed',
  gardenWaiting: 'Not pushed',
  proposalCount: '{count, plural, one {# applied proposal} other {# applied proposals}}',
  gardenProblem: 'Problem',
  gardenNext: 'Next attempt',
  gardenCheck: 'Last integrity check',
  gardenChecking: 'Running',
  gardenCheckResult: 'Result',
  gardenFaults: '{count, plural, =0 {No damage found} one {# damaged object} other {# damaged objects}}',
  gardenCheckedBy: { git: 'by git fsck', console: 'by reading every object; git isn’t installed here' },
  gardenDamaged: 'Damaged objects',
  pushProblems: {
    diverged: 'Diverged',
    refused: 'Access denied',
    rejected: 'Push rejected',
    not_found: 'Repository not found',
    unreachable: 'Unreachable',
    timeout: 'Timed out',
    no_git: 'Git not installed',
    failed: 'Push failed',
  },
}

const uk: typeof en = {
  gardenHint: 'Нотатки та їхня історія. Віддалений репозиторій Git зберігає копію гілки в іншому місці.',
  gardenRemote: 'Віддалений репозиторій Git',
  gardenPushed: 'Останнє надсилання',
  gardenWaiting: 'Не надіслано',
  proposalCount:
    '{count, plural, one {# застосована пропозиція} few {# застосовані пропозиції} many {# застосованих пропозицій} other {# застосованої пропозиції}}',
  gardenProblem: 'Проблема',
  gardenNext: 'Наступна спроба',
  gardenCheck: 'Остання перевірка цілісності',
  gardenChecking: 'Триває',
  gardenCheckResult: 'Результат',
  gardenFaults:
    '{count, plural, =0 {Пошкоджень не знайдено} one {# пошкоджений об’єкт} few {# пошкоджені об’єкти} many {# пошкоджених об’єктів} other {# пошкодженого об’єкта}}',
  gardenCheckedBy: {
    git: 'за допомогою git fsck',
    console: 'читанням кожного об’єкта; git тут не встановлено',
  },
  gardenDamaged: 'Пошкоджені об’єкти',
  pushProblems: {
    diverged: 'Історії розійшлися',
    refused: 'Доступ заборонено',
    rejected: 'Надсилання відхилено',
    not_found: 'Репозиторій не знайдено',
    unreachable: 'Недоступний',
    timeout: 'Час очікування вичерпано',
    no_git: 'Git не встановлено',
    failed: 'Помилка надсилання',
  },
}

export const gardenMessages = { en, uk }
