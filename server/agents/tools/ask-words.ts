import type { QuestionLanguage } from '#server/retrieval/question.ts'

/** The fixed words of what the extractive agents ask, by the language of the run's question. */
type AskWords = {
  whatToLookFor: (agent: string) => string
  whichNote: (title: string) => string
  allOfThem: string
  nothingFound: (question: string) => string
  leaveIt: string
  answered: (question: string, answer: string, by: string | null) => string
}

export const ASK_WORDS: Record<QuestionLanguage, AskWords> = {
  en: {
    whatToLookFor: (agent) => `What should ${agent} look for? The run has no question.`,
    whichNote: (title) => `Several notes are called “${title}”. Which one do you mean?`,
    allOfThem: 'All of them',
    nothingFound: (question) =>
      `No note of the garden speaks of “${question}”. What should I look for instead?`,
    leaveIt: 'Nothing, leave it',
    answered: (question, answer, by) =>
      by === null
        ? `Asked “${question}”; nobody answered, so the default was taken: “${answer}”.`
        : `Asked “${question}”; ${by} answered: “${answer}”.`,
  },
  uk: {
    whatToLookFor: (agent) => `Що має шукати ${agent}? Запуск не має запитання.`,
    whichNote: (title) => `Назву «${title}» мають кілька нотаток. Яку з них ви маєте на увазі?`,
    allOfThem: 'Усі',
    nothingFound: (question) => `Жодна нотатка саду не згадує «${question}». Що шукати натомість?`,
    leaveIt: 'Нічого, залишити як є',
    answered: (question, answer, by) =>
      by === null
        ? `Запитано: «${question}»; ніхто не відповів, тому взято типову відповідь: «${answer}».`
        : `Запитано: «${question}»; ${by} відповів: «${answer}».`,
  },
  ru: {
    whatToLookFor: (agent) => `Что должен искать ${agent}? У запуска нет вопроса.`,
    whichNote: (title) => `Название «${title}» есть у нескольких заметок. Какую из них вы имеете в виду?`,
    allOfThem: 'Все',
    nothingFound: (question) => `Ни одна заметка сада не говорит о «${question}». Что искать вместо этого?`,
    leaveIt: 'Ничего, оставить как есть',
    answered: (question, answer, by) =>
      by === null
        ? `Вопрос: «${question}»; никто не ответил, поэтому взят ответ по умолчанию: «${answer}».`
        : `Вопрос: «${question}»; ${by} ответил: «${answer}».`,
  },
}
