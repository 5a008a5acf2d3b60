/** What the reading room says beside the note itself: folders, contents. */
const en = {
  tree: 'Folders',
  treeOf: 'Notes by folder',
  showTree: 'Show folders',
  hideTree: 'Hide folders',
  toggleTree: 'Show or hide folders',
  treeMore: '{n, plural, one {# more note} other {# more notes}}',
  treeEmpty: 'No folders or notes',
  beside: 'About this note',
  history: 'History',
  noVersions: 'No versions yet',
  removed: 'Note deleted',
  changedOnce: 'Changed',
  proposal: 'Proposal',
  olderVersions: 'Show older versions',
  against: 'Compare with',
  againstNothing: 'Nothing (show all as new)',
  previous: 'Previous: {name}',
  beforeUnknown: 'The previous version isn’t loaded yet.',
}

const uk: typeof en = {
  tree: 'Теки',
  treeOf: 'Нотатки за теками',
  showTree: 'Показати теки',
  hideTree: 'Сховати теки',
  toggleTree: 'Показати або сховати теки',
  treeMore: '{n, plural, one {ще # нотатка} few {ще # нотатки} many {ще # нотаток} other {ще # нотатки}}',
  treeEmpty: 'Немає ні тек, ні нотаток',
  beside: 'Про цю нотатку',
  history: 'Історія',
  noVersions: 'Версій ще немає',
  removed: 'Нотатку видалено',
  changedOnce: 'Змінено',
  proposal: 'Пропозиція',
  olderVersions: 'Показати старіші версії',
  against: 'Порівняти з',
  againstNothing: 'Нічим (показати все як нове)',
  previous: 'Попередня: {name}',
  beforeUnknown: 'Попередню версію ще не завантажено.',
}

export const readingMessages = { en, uk }
