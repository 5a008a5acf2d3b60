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
  digest: 'Daily digest',
  markRead: 'Mark as read',
  markDigestRead: 'Mark as read: daily digest',
  digestRead: 'Digest marked as read',
  digestParts: {
    expiring: '{count, plural, one {# expires today} other {# expire today}}',
    conflicts: '{count, plural, one {# conflict} other {# conflicts}}',
    proposals: '{count, plural, one {# proposal to review} other {# proposals to review}}',
    failed: '{count, plural, one {# failed to apply} other {# failed to apply}}',
    questions: '{count, plural, one {# question} other {# questions}}',
    dead_jobs: '{count, plural, one {# dead job} other {# dead jobs}}',
    other: '{count, plural, one {# other item} other {# other items}}',
  },
}

const uk: typeof en = {
  proposal: 'Пропозиція',
  needsYou: 'Чекає на вас',
  nothingNeedsYou: 'На вас нічого не чекає',
  nothingNeedsYouHint:
    'Тут з’являються невдалі роботи, збої сервісів і відкриті тривоги. Ви можете повертати завдання в чергу, скасовувати завдання й запуски, підтверджувати тривоги та синхронізувати вузли. Пропозиції розглядає і агентів запускає власник.',
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
  viewHealth: 'Переглянути стан',
  project: 'Лідерство',
  projectReason: {
    no_primary: 'Жоден вузол не може надсилати claude-mem.db. Призначте основний вузол.',
    unreadable: 'Оренда не читається, тому надсилання й отримання зупинено на всіх вузлах.',
  },
  dead: 'Мертве',
  deadJobs:
    '{exact, select, true {} other {≥ }}{count, plural, one {# мертве завдання} few {# мертві завдання} many {# мертвих завдань} other {# мертвого завдання}}',
  viewFailures: 'Переглянути збої',
  alert: 'Тривога',
  caughtUp: 'Усе переглянуто',
  caughtUpHint: 'Запустіть агента або запропонуйте зміну.',
  runAgent: 'Запустити агента',
  expiresIn: 'Спливає через',
  digest: 'Щоденне зведення',
  markRead: 'Позначити прочитаним',
  markDigestRead: 'Позначити прочитаним: щоденне зведення',
  digestRead: 'Зведення позначено прочитаним',
  digestParts: {
    expiring:
      '{count, plural, one {# спливає сьогодні} few {# спливають сьогодні} many {# спливають сьогодні} other {# спливають сьогодні}}',
    conflicts: '{count, plural, one {# конфлікт} few {# конфлікти} many {# конфліктів} other {# конфлікту}}',
    proposals:
      '{count, plural, one {# пропозиція на розгляд} few {# пропозиції на розгляд} many {# пропозицій на розгляд} other {# пропозиції на розгляд}}',
    failed:
      '{count, plural, one {# не застосовано} few {# не застосовано} many {# не застосовано} other {# не застосовано}}',
    questions: '{count, plural, one {# запитання} few {# запитання} many {# запитань} other {# запитання}}',
    dead_jobs:
      '{count, plural, one {# мертве завдання} few {# мертві завдання} many {# мертвих завдань} other {# мертвого завдання}}',
    other:
      '{count, plural, one {# інша справа} few {# інші справи} many {# інших справ} other {# іншої справи}}',
  },
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    needs: typeof messages.en
  }
}
