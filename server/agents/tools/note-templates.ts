import type { QuestionLanguage } from '#server/retrieval/question.ts'

/** The fixed words of what the extractive agents write; everything else in their proposals is text of the garden. */
export const NO_MODEL = 'extractive, no language model'

type Counted = (n: number, of: number) => string
type NoteTemplates = {
  made: (day: string) => string
  grounded: Counted
  conclusions: string
  open: string
  sources: string
  lines: string
  cut: string
  summary: (title: string) => string
  reasoning: (question: string, artifact: string, passages: number, notes: number) => string
}

export const NOTE_TEMPLATES: Record<QuestionLanguage, NoteTemplates> = {
  en: {
    made: (day) => `Extracts from the garden’s notes, made on ${day} without a language model (${NO_MODEL}).`,
    grounded: (n, of) => `${n} of ${of} sentences are verbatim quotes.`,
    conclusions: 'Conclusions',
    open: 'Open questions',
    sources: 'Sources',
    lines: 'lines',
    cut: 'Further sections are in the artifact.',
    summary: (title) => `Research brief: ${title}`,
    reasoning: (question, artifact, passages, notes) =>
      `The question was: ${question}\n\nThe brief ${artifact} quotes ${passages} passages of ${notes} notes verbatim; nothing was written by a model (${NO_MODEL}). The note keeps the brief in the garden, each section with the lines it is taken from.`,
  },
  uk: {
    made: (day) => `Витяги з нотаток саду, зроблені ${day} без мовної моделі (${NO_MODEL}).`,
    grounded: (n, of) => `${n} з ${of} речень є дослівними цитатами.`,
    conclusions: 'Висновки',
    open: 'Відкриті питання',
    sources: 'Джерела',
    lines: 'рядки',
    cut: 'Решта розділів є в артефакті.',
    summary: (title) => `Дослідження: ${title}`,
    reasoning: (question, artifact, passages, notes) =>
      `Запитання: ${question}\n\nДовідка ${artifact} дослівно цитує уривки (${passages}) з нотаток (${notes}); модель нічого не писала (${NO_MODEL}). Нотатка зберігає довідку в саду, кожен розділ із рядками, з яких його взято.`,
  },
  ru: {
    made: (day) => `Выдержки из заметок сада, сделанные ${day} без языковой модели (${NO_MODEL}).`,
    grounded: (n, of) => `${n} из ${of} предложений являются дословными цитатами.`,
    conclusions: 'Выводы',
    open: 'Открытые вопросы',
    sources: 'Источники',
    lines: 'строки',
    cut: 'Остальные разделы есть в артефакте.',
    summary: (title) => `Исследование: ${title}`,
    reasoning: (question, artifact, passages, notes) =>
      `Вопрос: ${question}\n\nСправка ${artifact} дословно цитирует отрывки (${passages}) из заметок (${notes}); модель ничего не писала (${NO_MODEL}). Заметка сохраняет справку в саду, каждый раздел со строками, из которых он взят.`,
  },
}
