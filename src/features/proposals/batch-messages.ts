/** The words of deciding several at once, and of groups of alike proposals. */

const en = {
  selected: '{count, plural, one {# selected} other {# selected}}',
  selection: 'Selection',
  clearSelection: 'Clear selection',
  approveSelected: 'Approve selected',
  rejectSelected: 'Reject selected',
  selectAtMost: 'Select at most {most, number} proposals.',
  batch: {
    APPROVED: {
      title: '{count, plural, one {Approve # proposal?} other {Approve # proposals?}}',
      each: 'Approved',
      done: '{count, plural, =0 {No proposals approved} one {Approved # proposal} other {Approved # proposals}}',
      none: 'None of these proposals can be approved.',
    },
    REJECTED: {
      title: '{count, plural, one {Reject # proposal?} other {Reject # proposals?}}',
      each: 'Rejected',
      done: '{count, plural, =0 {No proposals rejected} one {Rejected # proposal} other {Rejected # proposals}}',
      none: 'None of these proposals can be rejected.',
    },
  },
  batchCommits:
    '{commits, plural, one {# commit} other {# commits}} in {files, plural, one {# file} other {# files}}. You can undo each approval before it is applied.',
  batchNote: 'The note is kept with each decision and shown to the agents on later runs.',
  batchHigh: 'Includes high-priority proposals.',
  batchRisk: '{count, plural, one {# proposal has a high risk:} other {# proposals have a high risk:}}',
  batchOverlaps:
    '{count, plural, one {# proposal changes a file that an earlier one changes too. It will fail with a conflict.} other {# proposals change a file that an earlier one changes too. They will fail with a conflict.}}',
  excluded: '{count, plural, one {# proposal is left out:} other {# proposals are left out:}}',
  exclusion: {
    conflict: 'In conflict',
    expired: 'Expired',
    decided: 'Already decided',
    awaiting_changes: 'Changes requested',
    not_found: 'Not found',
  },
  batchFailed:
    '{count, plural, one {# proposal couldn’t be decided and stays selected.} other {# proposals couldn’t be decided and stay selected.}}',
  batchOutcome: 'Results',
  changedSince: 'Changed since reviewed',
  alike: 'Alike proposals',
  alikeNext: 'Review alike proposals',
  alikeGroup:
    '{who}: {action, select, propose_tag {{count, plural, one {# tag change} other {# tag changes}}} propose_edit {{count, plural, one {# edit} other {# edits}}} propose_summary {{count, plural, one {# summary} other {# summaries}}} propose_note {{count, plural, one {# note} other {# notes}}} other {{count, plural, one {# proposal} other {# proposals}}}} in {folder}',
  alikeMore: '{count, plural, one {# more group} other {# more groups}}',
  outlierCount: '{count, plural, =0 {no outliers} one {# outlier} other {# outliers}}',
  outliers: 'Outliers',
  outliersHint: 'These differ from the rest of the group. Open each before you decide on the group.',
  outlier: {
    tainted: 'Text from untrusted sources',
    deletes: 'Removes text',
    other_target: 'Other kind of target',
    ungrounded: 'No sources',
    much_larger: 'Much larger',
  },
  outlierOpened: 'Opened',
  openOutliers: '{count, plural, one {Open # outlier first.} other {Open # outliers first.}}',
  groupFirst: 'Shows the first {most, number} of {count, number}. The others stay pending.',
  groupGone: 'No longer a group',
  groupGoneHint: 'Its proposals were decided or changed.',
  backToList: 'Show pending proposals',
  approveGroup: '{count, plural, one {Approve # proposal} other {Approve all #}}',
  rejectGroup: '{count, plural, one {Reject # proposal} other {Reject all #}}',
  combined: 'Combined changes',
  combinedHint: '{files, plural, one {# file} other {# files}}, changed by the proposals one after another.',
  combinedBy: '{count, plural, one {# proposal} other {# proposals}}',
  leftOut:
    '{count, plural, one {# proposal is left out: it conflicts with another or is too large to show here.} other {# proposals are left out: they conflict with others or are too large to show here.}}',
  members: 'Proposals in this group',
}

const uk: typeof en = {
  selected: '{count, plural, one {Вибрано #} few {Вибрано #} many {Вибрано #} other {Вибрано #}}',
  selection: 'Вибране',
  clearSelection: 'Скасувати вибір',
  approveSelected: 'Схвалити вибране',
  rejectSelected: 'Відхилити вибране',
  selectAtMost: 'Виберіть не більше ніж {most, number} пропозицій.',
  batch: {
    APPROVED: {
      title:
        '{count, plural, one {Схвалити # пропозицію?} few {Схвалити # пропозиції?} many {Схвалити # пропозицій?} other {Схвалити # пропозиції?}}',
      each: 'Схвалено',
      done: '{count, plural, =0 {Жодної пропозиції не схвалено} one {Схвалено # пропозицію} few {Схвалено # пропозиції} many {Схвалено # пропозицій} other {Схвалено # пропозиції}}',
      none: 'Жодну з цих пропозицій не можна схвалити.',
    },
    REJECTED: {
      title:
        '{count, plural, one {Відхилити # пропозицію?} few {Відхилити # пропозиції?} many {Відхилити # пропозицій?} other {Відхилити # пропозиції?}}',
      each: 'Відхилено',
      done: '{count, plural, =0 {Жодної пропозиції не відхилено} one {Відхилено # пропозицію} few {Відхилено # пропозиції} many {Відхилено # пропозицій} other {Відхилено # пропозиції}}',
      none: 'Жодну з цих пропозицій не можна відхилити.',
    },
  },
  batchCommits:
    '{commits, plural, one {# коміт} few {# коміти} many {# комітів} other {# коміту}} у {files, plural, one {# файлі} few {# файлах} many {# файлах} other {# файлу}}. Кожне схвалення можна скасувати, доки його не застосовано.',
  batchNote: 'Примітка збережеться з кожним рішенням; агенти побачать її під час наступних запусків.',
  batchHigh: 'Серед них є пропозиції з високим пріоритетом.',
  batchRisk:
    '{count, plural, one {# пропозиція має високий ризик:} few {# пропозиції мають високий ризик:} many {# пропозицій мають високий ризик:} other {# пропозиції мають високий ризик:}}',
  batchOverlaps:
    '{count, plural, one {# пропозиція змінює файл, який змінює й попередня. Вона завершиться конфліктом.} few {# пропозиції змінюють файли, які змінюють і попередні. Вони завершаться конфліктом.} many {# пропозицій змінюють файли, які змінюють і попередні. Вони завершаться конфліктом.} other {# пропозиції змінюють файли, які змінюють і попередні. Вони завершаться конфліктом.}}',
  excluded:
    '{count, plural, one {# пропозицію пропущено:} few {# пропозиції пропущено:} many {# пропозицій пропущено:} other {# пропозиції пропущено:}}',
  exclusion: {
    conflict: 'З конфліктом',
    expired: 'Прострочено',
    decided: 'Рішення вже є',
    awaiting_changes: 'Зміни запрошено',
    not_found: 'Не знайдено',
  },
  batchFailed:
    '{count, plural, one {# пропозиція лишилася без рішення і вибраною.} few {# пропозиції лишилися без рішення і вибраними.} many {# пропозицій лишилися без рішення і вибраними.} other {# пропозиції лишилися без рішення і вибраними.}}',
  batchOutcome: 'Результати',
  changedSince: 'Змінилася після перегляду',
  alike: 'Схожі пропозиції',
  alikeNext: 'Переглянути схожі пропозиції',
  alikeGroup:
    '{who}: {action, select, propose_tag {{count, plural, one {# зміна тегів} few {# зміни тегів} many {# змін тегів} other {# зміни тегів}}} propose_edit {{count, plural, one {# правка} few {# правки} many {# правок} other {# правки}}} propose_summary {{count, plural, one {# підсумок} few {# підсумки} many {# підсумків} other {# підсумку}}} propose_note {{count, plural, one {# нотатка} few {# нотатки} many {# нотаток} other {# нотатки}}} other {{count, plural, one {# пропозиція} few {# пропозиції} many {# пропозицій} other {# пропозиції}}}} у {folder}',
  alikeMore: '{count, plural, one {Ще # група} few {Ще # групи} many {Ще # груп} other {Ще # групи}}',
  outlierCount:
    '{count, plural, =0 {без відмінних} one {# відмінна} few {# відмінні} many {# відмінних} other {# відмінної}}',
  outliers: 'Відмінні від інших',
  outliersHint:
    'Ці пропозиції відрізняються від решти групи. Відкрийте кожну, перш ніж вирішувати щодо групи.',
  outlier: {
    tainted: 'Текст із неперевірених джерел',
    deletes: 'Видаляє текст',
    other_target: 'Інший вид цілі',
    ungrounded: 'Без джерел',
    much_larger: 'Значно більша',
  },
  outlierOpened: 'Відкрито',
  openOutliers:
    '{count, plural, one {Спершу відкрийте # відмінну пропозицію.} few {Спершу відкрийте # відмінні пропозиції.} many {Спершу відкрийте # відмінних пропозицій.} other {Спершу відкрийте # відмінної пропозиції.}}',
  groupFirst: 'Показано перші {most, number} з {count, number}. Решта й далі очікує рішення.',
  groupGone: 'Групи більше немає',
  groupGoneHint: 'Щодо її пропозицій прийнято рішення, або вони змінилися.',
  backToList: 'Показати пропозиції, що очікують',
  approveGroup:
    '{count, plural, one {Схвалити # пропозицію} few {Схвалити всі #} many {Схвалити всі #} other {Схвалити всі #}}',
  rejectGroup:
    '{count, plural, one {Відхилити # пропозицію} few {Відхилити всі #} many {Відхилити всі #} other {Відхилити всі #}}',
  combined: 'Сукупні зміни',
  combinedHint:
    '{files, plural, one {# файл, який} few {# файли, які} many {# файлів, які} other {# файлу, які}} пропозиції змінюють одна за одною.',
  combinedBy:
    '{count, plural, one {# пропозиція} few {# пропозиції} many {# пропозицій} other {# пропозиції}}',
  leftOut:
    '{count, plural, one {# пропозицію пропущено: вона конфліктує з іншою або завелика, щоб показати її тут.} few {# пропозиції пропущено: вони конфліктують з іншими або завеликі, щоб показати їх тут.} many {# пропозицій пропущено: вони конфліктують з іншими або завеликі, щоб показати їх тут.} other {# пропозиції пропущено: вони конфліктують з іншими або завеликі, щоб показати їх тут.}}',
  members: 'Пропозиції цієї групи',
}

export const batchMessages = { en, uk }
