/**
 * Where the values of a JSON text stand, so that one can be added or taken out and every other byte stays as a person wrote it.
 *
 * The text must be JSON already (`JSON.parse` has taken it). Of a name that stands twice, the last counts, as it does there.
 */
export type Span = {
  start: number
  end: number
  /** Of an object, by name, and of an array, by number. */
  inside: Map<string, Span>
  kind: 'object' | 'array' | 'other'
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/y

export function spansOf(text: string): Span {
  const token = new RegExp(TOKEN)
  token.lastIndex = text.startsWith('\uFEFF') ? 1 : 0
  const next = (): { text: string; start: number; end: number } => {
    const found = token.exec(text)
    if (!found?.[1]) throw new SyntaxError('the text is not JSON')
    return { text: found[1], start: token.lastIndex - found[1].length, end: token.lastIndex }
  }
  const valueFrom = (first: ReturnType<typeof next>): Span => {
    const { start } = first
    const inside = new Map<string, Span>()
    if (first.text !== '{' && first.text !== '[') return { start, end: first.end, inside, kind: 'other' }
    const [kind, close] = first.text === '{' ? (['object', '}'] as const) : (['array', ']'] as const)
    for (let at = next(); at.text !== close; at = next()) {
      const item = at.text === ',' ? next() : at
      const name = kind === 'array' ? String(inside.size) : (JSON.parse(item.text) as string)
      if (kind === 'object') next()
      inside.delete(name)
      inside.set(name, valueFrom(kind === 'array' ? item : next()))
    }
    return { start, end: token.lastIndex, inside, kind }
  }
  return valueFrom(next())
}

/** The text with one more member (`"name": value` or a value, indented by tabs) behind the last of the object or array that stands there. */
export function withMember(text: string, into: Span, member: string): string {
  const last = [...into.inside.values()].at(-1)
  const indent = indentAt(text, into.start)
  const step = /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const lined = member.replaceAll('\n', `${end}${indent}${step}`).replaceAll('\t', step)
  const [before, after] = last
    ? [text.slice(0, last.end), text.slice(last.end)]
    : [text.slice(0, into.start + 1), `${end}${indent}${text.slice(into.end - 1)}`]
  return `${before}${last ? ',' : ''}${end}${indent}${step}${lined}${after}`
}

/** The text without the member that ends there: with the comma that parted it from its neighbour. */
export function withoutMember(text: string, from: Span, member: Span): string {
  const members = [...from.inside.values()]
  const number = members.indexOf(member)
  const before = members[number - 1]
  const after = members[number + 1]
  if (before) return text.slice(0, before.end) + text.slice(member.end)
  const begin = from.start + 1
  if (!after) return text.slice(0, begin) + text.slice(from.end - 1)
  const comma = text.indexOf(',', member.end)
  return text.slice(0, begin) + text.slice(comma + 1)
}

/** The blanks that begin the line of that position. */
function indentAt(text: string, position: number): string {
  const line = text.slice(text.lastIndexOf('\n', position - 1) + 1)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}
