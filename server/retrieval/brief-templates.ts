import type { QuestionLanguage } from './question.ts'

/** The few sentences that the extractive engine writes itself; everything else in a brief is the notes' own text. */
type BriefTemplates = { nothing: string; nothingHeading: string; unanswered: (word: string) => string }

export const BRIEF_TEMPLATES: Record<QuestionLanguage, BriefTemplates> = {
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
