/** What the form of a proposed note says beside its fields. */
const en = {
  noteView: 'View',
  edit: 'Edit',
  changes: 'Changes',
  preview: 'Preview',
  noteMoved: 'This note changed after you started editing.',
  takeCurrent: 'Compare with current version',
  noteMovedFirst: 'Compare with the current version of the note first',
}

const uk: typeof en = {
  noteView: 'Вигляд',
  edit: 'Редагування',
  changes: 'Зміни',
  preview: 'Перегляд',
  noteMoved: 'Цю нотатку змінено після того, як ви почали її редагувати.',
  takeCurrent: 'Порівняти з поточною версією',
  noteMovedFirst: 'Спершу порівняйте з поточною версією нотатки',
}

export const noteFormMessages = { en, uk }
