/** What the program of a node prints around its answer: `{"type":"result","is_error":…,"result":…,"usage":…}`. */
export type Envelope = { isError: boolean; text: string; tokens: number | null; model: string | null }

/** Null for anything else, which is the answer itself. */
export function envelopeOf(output: string): Envelope | null {
  if (!output.trimStart().startsWith('{')) return null
  const value = parsed(output)
  if (!isObject(value) || value.type !== 'result' || !('is_error' in value)) return null
  const { is_error, result, errors, subtype, usage, modelUsage } = value
  const isError = is_error === true
  const answer = result ?? (isError ? reasonOf(errors, subtype) : '')
  return {
    isError,
    text: typeof answer === 'string' ? answer : JSON.stringify(answer),
    tokens: isObject(usage) ? tokensOf(usage) : null,
    model: isObject(modelUsage) ? (Object.keys(modelUsage)[0] ?? null) : null,
  }
}

/** Why it ended without an answer: its own words, else the kind of its end. */
const reasonOf = (errors: unknown, subtype: unknown): string => {
  const said = Array.isArray(errors) ? errors.filter((error) => typeof error === 'string').join(' ') : ''
  return said || (typeof subtype === 'string' ? subtype : '')
}

/** Input and output together; what a cache gave is part of the input. */
function tokensOf(usage: Record<string, unknown>): number | null {
  const counts = Object.entries(usage).flatMap(([name, count]) =>
    name.endsWith('_tokens') && typeof count === 'number' ? [count] : [],
  )
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined for a text that is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
