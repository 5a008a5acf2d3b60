const en = {
  title: 'Notes',
  sentence: '{total, plural, =0 {No notes} one {# note} other {# notes}}',
  sentenceZone: '{total, plural, =0 {No notes} one {# note} other {# notes}} in this zone',
  loading: 'Notes at the latest commit',
  reading: 'Some are still being read',
  search: 'Search notes',
  folder: 'Folder',
  allFolders: 'All folders',
  tag: 'Tag',
  allTags: 'All tags',
  note: 'Note',
  path: 'Path',
  tags: 'Tags',
  empty: 'No notes',
  emptyHint: 'Markdown files in the garden appear here.',
  properties: 'Properties',
  links: 'Links',
  backlinks: 'Backlinks',
  broken: 'broken link',
  source: 'Source',
  preview: 'Preview',
  view: 'View',
  revision: 'Revision',
  cited: 'Cited lines {lines}',
  changed: 'These lines have changed since they were cited.',
  lines: '{n, plural, one {# line} other {# lines}}',
}

const uk: typeof en = {
  title: 'Нотатки',
  sentence:
    '{total, plural, =0 {Нотаток немає} one {# нотатка} few {# нотатки} many {# нотаток} other {# нотатки}}',
  sentenceZone:
    '{total, plural, =0 {У цій зоні немає нотаток} one {# нотатка в цій зоні} few {# нотатки в цій зоні} many {# нотаток у цій зоні} other {# нотатки в цій зоні}}',
  loading: 'Нотатки станом на останній коміт',
  reading: 'Деякі ще читаються',
  search: 'Шукати нотатки',
  folder: 'Тека',
  allFolders: 'Усі теки',
  tag: 'Тег',
  allTags: 'Усі теги',
  note: 'Нотатка',
  path: 'Шлях',
  tags: 'Теги',
  empty: 'Нотаток немає',
  emptyHint: 'Тут з’являються файли Markdown із саду.',
  properties: 'Властивості',
  links: 'Посилання',
  backlinks: 'Зворотні посилання',
  broken: 'недійсне посилання',
  source: 'Код',
  preview: 'Перегляд',
  view: 'Вигляд',
  revision: 'Ревізія',
  cited: 'Цитовані рядки {lines}',
  changed: 'Ці рядки змінилися після цитування.',
  lines: '{n, plural, one {# рядок} few {# рядки} many {# рядків} other {# рядка}}',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    notes: typeof messages.en
  }
}
