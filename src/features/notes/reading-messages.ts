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
}

export const readingMessages = { en, uk }
