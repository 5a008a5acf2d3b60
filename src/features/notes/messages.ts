const en = {
  title: 'Notes',
  sentence: '{total, plural, =0 {No notes} one {# note} other {# notes}} in the garden.',
  sentenceZone: '{total, plural, =0 {No notes} one {# note} other {# notes}} that you may read here.',
  loading: 'The garden as it is at its newest commit.',
  search: 'Search the notes',
  folder: 'Folder',
  allFolders: 'All folders',
  tag: 'Tag',
  allTags: 'All tags',
  note: 'Note',
  path: 'Path',
  tags: 'Tags',
  empty: 'No notes here',
  emptyHint: 'Notes are Markdown files of the garden.',
  fields: 'Fields',
  links: 'Links',
  backlinks: 'Linked from',
  broken: 'leads nowhere',
  source: 'Source',
  reading: 'Reading',
  view: 'How the note is shown',
  revision: 'Revision',
  cited: 'Cited lines {lines}',
  changed: 'The garden’s present text no longer has these lines.',
  lines: '{n, plural, one {# line} other {# lines}}',
}

const uk: typeof en = {
  title: 'Нотатки',
  sentence:
    '{total, plural, =0 {Нотаток немає} one {# нотатка в саду} few {# нотатки в саду} many {# нотаток у саду} other {# нотатки в саду}}.',
  sentenceZone:
    '{total, plural, =0 {Нотаток немає} one {# нотатка, яку вам можна читати} few {# нотатки, які вам можна читати} many {# нотаток, які вам можна читати} other {# нотатки, які вам можна читати}}.',
  loading: 'Сад, яким він є в найновішому коміті.',
  search: 'Шукати в нотатках',
  folder: 'Тека',
  allFolders: 'Усі теки',
  tag: 'Тег',
  allTags: 'Усі теги',
  note: 'Нотатка',
  path: 'Шлях',
  tags: 'Теги',
  empty: 'Нотаток тут немає',
  emptyHint: 'Нотатки — це файли Markdown у саду.',
  fields: 'Поля',
  links: 'Посилання',
  backlinks: 'Сюди посилаються',
  broken: 'нікуди не веде',
  source: 'Джерело',
  reading: 'Читання',
  view: 'Як показати нотатку',
  revision: 'Ревізія',
  cited: 'Процитовані рядки {lines}',
  changed: 'У теперішньому тексті саду цих рядків уже немає.',
  lines: '{n, plural, one {# рядок} few {# рядки} many {# рядків} other {# рядка}}',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    notes: typeof messages.en
  }
}
