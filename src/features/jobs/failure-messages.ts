/** Words of the groups of failures. */
const en = {
  requeueCount: 'Requeue {count, number}',
  resolve: 'Resolve',
  resolveTitle: 'Resolve “{error}”?',
  resolveHint:
    '{count, plural, one {Its job stays as it is.} other {Its # jobs stay as they are.}} The group leaves this list until a job fails this way again. Your name and note are kept.',
  resolveNote: 'What was done',
  groupResolved: 'Group resolved',
  resolvedBy: 'Resolved by {actor}',
  showResolved: '{count, plural, one {Show # resolved group} other {Show # resolved groups}}',
  showOpenGroups: 'Show open groups',
  last24Hours: 'Last 24 hours',
  hoursSummary:
    '{count, plural, one {# failure} other {# failures}} in the last 24 hours, at most {most, number} in an hour',
  hoursTable: 'Failures by hour',
  hoursNone: 'No failures in the last 24 hours',
  failureFirst: 'First seen',
  commands: 'Actions',
}

const uk: typeof en = {
  requeueCount: 'Повернути в чергу {count, number}',
  resolve: 'Позначити вирішеним',
  resolveTitle: 'Позначити «{error}» як вирішене?',
  resolveHint:
    '{count, plural, one {# завдання групи залишиться як є.} few {# завдання групи залишаться як є.} many {# завдань групи залишаться як є.} other {# завдання групи залишаться як є.}} Група зникне зі списку, доки якесь завдання знову не завершиться так само. Ваше ім’я й нотатку буде збережено.',
  resolveNote: 'Що зроблено',
  groupResolved: 'Групу позначено як вирішену',
  resolvedBy: 'Вирішено: {actor},',
  showResolved:
    '{count, plural, one {Показати # вирішену групу} few {Показати # вирішені групи} many {Показати # вирішених груп} other {Показати # вирішеної групи}}',
  showOpenGroups: 'Показати невирішені групи',
  last24Hours: 'Останні 24 години',
  hoursSummary:
    '{count, plural, one {# помилка} few {# помилки} many {# помилок} other {# помилки}} за останні 24 години, щонайбільше {most, number} за годину',
  hoursTable: 'Помилки за годинами',
  hoursNone: 'За останні 24 години помилок немає',
  failureFirst: 'Уперше',
  commands: 'Дії',
}

export const failures = { en, uk }
