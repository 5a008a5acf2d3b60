import type { ArtifactExportInput } from '#contracts/artifact.contract.ts'

export type ExportLanguage = ArtifactExportInput['lang']
type Lines = { from: number; to: number }
export type ExportWords = Record<
  'conclusions' | 'questions' | 'revision' | 'sources' | 'ungrounded',
  string
> & {
  lines: (lines: Lines) => string
}

/** What an export adds to the words of the artifact. */
export const EXPORT_WORDS: Record<ExportLanguage, ExportWords> = {
  en: {
    conclusions: 'Conclusions',
    questions: 'Open questions',
    revision: 'revision',
    sources: 'Sources',
    ungrounded: 'Ungrounded: this sentence stands in none of the cited places.',
    lines: ({ from, to }) => (from === to ? `line ${from}` : `lines ${from}–${to}`),
  },
  uk: {
    conclusions: 'Висновки',
    questions: 'Відкриті запитання',
    revision: 'ревізія',
    sources: 'Джерела',
    ungrounded: 'Не підтверджено: цього речення немає в жодному з наведених місць.',
    lines: ({ from, to }) => (from === to ? `рядок ${from}` : `рядки ${from}–${to}`),
  },
}
