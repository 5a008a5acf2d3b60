const en = {
  title: 'Command menu',
  placeholder: 'Search or run a command…',
  nothing: 'No results',
  searching: 'Searching…',
  failed: 'Search is unavailable. Commands still work.',
  recent: 'Recent',
  commands: 'Commands',
  views: 'Saved views',
  kinds: {
    proposal: 'Proposals',
    job: 'Jobs',
    run: 'Runs',
    note: 'Notes',
    agent: 'Agents',
    artifact: 'Artifacts',
    zone: 'Zones',
  },
}

const uk: typeof en = {
  title: 'Меню команд',
  placeholder: 'Пошук або команда…',
  nothing: 'Нічого не знайдено',
  searching: 'Пошук…',
  failed: 'Пошук недоступний. Команди працюють.',
  recent: 'Нещодавні',
  commands: 'Команди',
  views: 'Збережені подання',
  kinds: {
    proposal: 'Пропозиції',
    job: 'Завдання',
    run: 'Запуски',
    note: 'Нотатки',
    agent: 'Агенти',
    artifact: 'Артефакти',
    zone: 'Зони',
  },
}

export const messages = { en, uk }

declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    search: typeof messages.en
  }
}
