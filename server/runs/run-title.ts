const TITLE_LENGTH = 160
const KEYS = ['question', 'query', 'task', 'topic'] as const

/** What a run is asked: the text of its params that agents read as the question; empty when there is none. */
export function questionOf(params: Record<string, unknown>): string {
  for (const key of KEYS) {
    const value = params[key]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return ''
}

/** The question on one line, shortened for a list. */
export function titleOf(params: Record<string, unknown>): string {
  const line = questionOf(params).replace(/\s+/gu, ' ')
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line
}
