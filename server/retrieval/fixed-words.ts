import type { QuestionLanguage } from './question.ts'

/** The few words that the extractive engine says itself; everything else in a brief is the notes' own text. */
type FixedWords = { nothing: string; nothingHeading: string; unanswered: (word: string) => string }

export const FIXED_WORDS: Record<QuestionLanguage, FixedWords> = {
  en: {
    nothingHeading: 'No passage found',
    nothing: 'No passage of the sources speaks of this question.',
    unanswered: (word) => `The sources chosen here say nothing of “${word}”.`,
  },
  uk: {
    nothingHeading: 'Уривків не знайдено',
    nothing: 'Жоден уривок джерел не говорить про це запитання.',
    unanswered: (word) => `У вибраних джерелах нічого немає про «${word}».`,
  },
  ru: {
    nothingHeading: 'Отрывков не найдено',
    nothing: 'Ни один отрывок источников не говорит об этом вопросе.',
    unanswered: (word) => `В выбранных источниках ничего нет о «${word}».`,
  },
}
