const en = {
  views: 'Views',
  savedViews: 'Saved views',
  save: 'Save view…',
  saveTitle: 'Save view',
  saveHint: 'Keeps the current filters of this list under a name, for your account.',
  saveButton: 'Save view',
  name: 'Name',
  nameTaken: 'A view of this list already has this name. Choose another one.',
  full: 'This list already has {max} saved views. Delete one first.',
  noFilter: 'Set a filter first',
  saved: 'View “{name}” saved',
  rename: 'Rename “{name}”…',
  renameTitle: 'Rename view',
  renameButton: 'Rename view',
  renamed: 'View renamed to “{name}”',
  remove: 'Delete “{name}”…',
  removeTitle: 'Delete the view “{name}”?',
  removeHint: 'What the list shows stays as it is.',
  removeButton: 'Delete view',
  removed: 'View “{name}” deleted',
  inList: '{list}: {name}',
}

const uk: typeof en = {
  views: 'Подання',
  savedViews: 'Збережені подання',
  save: 'Зберегти подання…',
  saveTitle: 'Зберегти подання',
  saveHint: 'Зберігає поточні фільтри цього списку під назвою для вашого облікового запису.',
  saveButton: 'Зберегти подання',
  name: 'Назва',
  nameTaken: 'Подання цього списку з такою назвою вже є. Виберіть іншу.',
  full: 'У цьому списку вже {max, plural, one {# збережене подання} few {# збережені подання} many {# збережених подань} other {# збереженого подання}}. Спершу видаліть одне.',
  noFilter: 'Спершу задайте фільтр',
  saved: 'Подання «{name}» збережено',
  rename: 'Перейменувати «{name}»…',
  renameTitle: 'Перейменувати подання',
  renameButton: 'Перейменувати подання',
  renamed: 'Подання перейменовано на «{name}»',
  remove: 'Видалити «{name}»…',
  removeTitle: 'Видалити подання «{name}»?',
  removeHint: 'Те, що показує список, не зміниться.',
  removeButton: 'Видалити подання',
  removed: 'Подання «{name}» видалено',
  inList: '{list}: {name}',
}

export const messages = { en, uk }

declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    views: typeof messages.en
  }
}
