const en = {
  proposal: 'Proposal',
  needsYou: 'Needs you',
  nothingNeedsYou: 'Nothing needs you',
  nothingNeedsYouHint:
    'Failed work, degraded services and open alerts appear here. You can requeue and cancel jobs, cancel runs, acknowledge alerts and sync nodes. The owner decides proposals and runs agents.',
  reviewAll: 'Review all proposals',
  review: 'Review',
  moreProposals: '{count, plural, one {# more proposal to review} other {# more proposals to review}}',
  open: 'Open',
  actOn: '{act}: {title}',
  failedProposal: 'Failed to apply',
  question: 'Question',
  answer: 'Answer',
  failingAgent: 'Agent failing',
  lastSuccess: 'Last success',
  viewHealth: 'View health',
  project: 'Leadership',
  projectReason: {
    no_primary: 'No node may push claude-mem.db. Promote one.',
    unreadable: 'The lease can’t be read, so push and pull stop on every node.',
  },
  dead: 'Dead',
  deadJobs: '{exact, select, true {} other {≥ }}{count, plural, one {# dead job} other {# dead jobs}}',
  viewFailures: 'View failures',
  alert: 'Alert',
  caughtUp: 'You’re all caught up',
  caughtUpHint: 'Run an agent or propose a change.',
  runAgent: 'Run agent',
  expiresIn: 'Expires in',
}

const uk: typeof en = {
  proposal: 'Пропозиція',
  needsYou: 'Чекає на вас',
  nothingNeedsYou: 'На вас нічого не чекає',
  nothingNeedsYouHint:
    'Тут з’являються невдалі роботи, збої сервісів і відкриті сповіщення. Ви можете повертати завдання в чергу, скасовувати завдання й запуски, підтверджувати сповіщення та синхронізувати вузли. Пропозиції розглядає і агентів запускає власник.',
  reviewAll: 'Переглянути всі пропозиції',
  review: 'Переглянути',
  moreProposals:
    '{count, plural, one {Ще # пропозиція на розгляд} few {Ще # пропозиції на розгляд} many {Ще # пропозицій на розгляд} other {Ще # пропозиції на розгляд}}',
  open: 'Відкрити',
  actOn: '{act}: {title}',
  failedProposal: 'Не застосовано',
  question: 'Запитання',
  answer: 'Відповісти',
  failingAgent: 'Збій агента',
  lastSuccess: 'Востаннє успішно',
  viewHealth: 'Стан системи',
  project: 'Лідерство',
  projectReason: {
    no_primary: 'Жоден вузол не може надсилати claude-mem.db. Призначте основний вузол.',
    unreadable: 'Оренда не читається, тому надсилання й отримання зупинено на всіх вузлах.',
  },
  dead: 'Мертве',
  deadJobs:
    '{exact, select, true {} other {≥ }}{count, plural, one {# мертве завдання} few {# мертві завдання} many {# мертвих завдань} other {# мертвого завдання}}',
  viewFailures: 'Переглянути збої',
  alert: 'Сповіщення',
  caughtUp: 'Усе переглянуто',
  caughtUpHint: 'Запустіть агента або запропонуйте зміну.',
  runAgent: 'Запустити агента',
  expiresIn: 'Спливає через',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    needs: typeof messages.en
  }
}
