const en = {
  title: 'Questions',
  from: 'Asked by {agent}',
  expiresIn: 'Expires in',
  expiredJustNow: 'Expired',
  ifNobody: 'If nobody answers: “{answer}”.',
  ifNobodyFails: 'If nobody answers, the run fails.',
  choices: 'Choices',
  answerWith: 'Answer: {answer}',
  yourAnswer: 'Your answer',
  otherAnswer: 'Another answer',
  ownerAnswers: 'The owner answers this question.',
  hint: 'The agent reads it as information, not as instructions.',
  send: 'Send answer',
  sent: 'Answer sent, the run continues',
  answeredBy: 'Answered by {who}',
  byDefault: 'Nobody answered in time. The default answer was used.',
  expired: 'Nobody answered in time, so the run failed.',
  withdrawn: 'Withdrawn: the run ended first.',
  continues: 'The run continues as soon as the agent’s current run ends.',
  group: 'Question',
}

const uk: typeof en = {
  title: 'Запитання',
  from: 'Питає {agent}',
  expiresIn: 'Спливає через',
  expiredJustNow: 'Термін сплив',
  ifNobody: 'Якщо ніхто не відповість: «{answer}».',
  ifNobodyFails: 'Якщо ніхто не відповість, запуск завершиться помилкою.',
  choices: 'Варіанти',
  answerWith: 'Відповісти: {answer}',
  yourAnswer: 'Ваша відповідь',
  otherAnswer: 'Інша відповідь',
  ownerAnswers: 'На це запитання відповідає власник.',
  hint: 'Агент читає її як інформацію, а не як інструкцію.',
  send: 'Надіслати відповідь',
  sent: 'Відповідь надіслано, запуск триває',
  answeredBy: 'Відповідь: {who}',
  byDefault: 'Ніхто не відповів вчасно. Використано типову відповідь.',
  expired: 'Ніхто не відповів вчасно, тому запуск завершився помилкою.',
  withdrawn: 'Відкликано: запуск завершився раніше.',
  continues: 'Запуск продовжиться, щойно завершиться поточний запуск агента.',
  group: 'Запитання',
}

export const messages = { en, uk }
declare module '#lib/i18n/types.ts' {
  interface AllMessages {
    questions: typeof messages.en
  }
}
