/**
 * Two runs of an agent side by side ([runs#comparing]): what they were given, what they used, and what they made. Pure: the rows of both
 * runs in, what is alike and what is not out. What always differs between two executions (ids, times) is no difference.
 */
type Json = Record<string, unknown>

const objectIn = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {}
const listIn = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectIn) : [])

export type Difference = { path: string; a: unknown; b: unknown }

/** The first place where two JSON values differ, in the order in which their sorted text is read; null where they are equal. */
export function firstDifference(a: unknown, b: unknown, path = ''): Difference | null {
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      const found = firstDifference(a[i], b[i], `${path}[${i}]`)
      if (found) return found
    }
    return null
  }
  if (isObject(a) && isObject(b)) {
    for (const key of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
      const found = firstDifference(a[key], b[key], path ? `${path}.${key}` : key)
      if (found) return found
    }
    return null
  }
  return Object.is(a ?? null, b ?? null) ? null : { path, a: a ?? null, b: b ?? null }
}

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const picked = (from: Json, ...names: string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (name in from ? [[name, from[name]]] : [])))

const COMPARED: Record<number, (output: Json) => Json> = {
  1: (o) =>
    picked(
      o,
      'definition',
      'mode',
      'sources',
      'fragments',
      'dropped',
      'total_tokens',
      'memory_revision',
      'layer1_tokens',
    ),
  2: (o) => ({
    ...picked(
      o,
      'summary',
      'proposals',
      'memory_updates',
      'logic_updates',
      'grounding',
      'usage',
      'model',
      'engine',
      'tainted',
    ),
    tool_calls: listIn(o.tool_calls).map((call) => picked(call, 'tool', 'ok')),
  }),
  3: (o) => ({
    created: listIn(o.created).map((made) => picked(made, 'action', 'target')),
    refused: listIn(o.refused).map((made) => picked(made, 'index', 'code')),
    reused: Array.isArray(o.reused) ? o.reused.length : 0,
  }),
  4: (o) => picked(objectIn(o.totals), 'proposals', 'jobs', 'artifacts', 'context_tokens', 'tokens_used'),
}

/** What of a step's output can be compared with that of another run: without the ids and times of its own execution. */
export const comparedOutput = (step: number, output: unknown): Json | null =>
  isObject(output) ? (COMPARED[step]?.(output) ?? output) : null

export type ContextState = 'same' | 'changed' | 'left' | 'right'
export type ContextEntry = {
  part: 'source' | 'fragment' | 'dropped'
  name: string
  state: ContextState
  tokens: { a: number | null; b: number | null }
}

const lines = (value: unknown) => {
  const { from, to } = objectIn(value)
  return from === undefined ? '' : `:${from}${to === undefined ? '' : `–${to}`}`
}
const PARTS = {
  source: (o: Json) => listIn(o.sources).map((s) => [String(s.path), s.sha256, s.tokens] as const),
  fragment: (o: Json) =>
    listIn(o.fragments).map((f) => [`${f.path}${lines(f.lines)}`, null, f.tokens] as const),
  dropped: (o: Json) =>
    listIn(o.dropped).map((d) => [String(d.ref ?? d.path ?? JSON.stringify(d)), null, d.tokens] as const),
}

/** The context of both runs, entry by entry: what was used and what was dropped, in one of them or in both. */
export function compareContexts(a: unknown, b: unknown): ContextEntry[] {
  const [left, right] = [objectIn(a), objectIn(b)]
  return (Object.keys(PARTS) as (keyof typeof PARTS)[]).flatMap((part) => {
    const [as, bs] = [
      new Map(PARTS[part](left).map((e) => [e[0], e])),
      new Map(PARTS[part](right).map((e) => [e[0], e])),
    ]
    return [...new Set([...as.keys(), ...bs.keys()])].map((name) => {
      const [x, y] = [as.get(name), bs.get(name)]
      const tokens = { a: Number(x?.[2] ?? 0) || null, b: Number(y?.[2] ?? 0) || null }
      return { part, name, tokens, state: stateOf(x?.[1], y?.[1], x !== undefined, y !== undefined) }
    })
  })
}

function stateOf(a: unknown, b: unknown, inA: boolean, inB: boolean): ContextState {
  if (!inB) return 'left'
  if (!inA) return 'right'
  return a === b ? 'same' : 'changed'
}

export type Draft = { target: string; digest: string }
export type DraftPair<D extends Draft> = { state: ContextState; a: D | null; b: D | null }

/** Proposals by the digest of their content: equal ones first of all, then those of one target as changed, the rest on its side. */
export function pairDrafts<D extends Draft>(as: readonly D[], bs: readonly D[]): DraftPair<D>[] {
  const left = [...bs]
  const take = (alike: (draft: D) => boolean): D | null => {
    const at = left.findIndex(alike)
    return at < 0 ? null : (left.splice(at, 1)[0] ?? null)
  }
  const equal = as.map((a) => take((b) => b.digest === a.digest))
  const pairs = as.map((a, i): DraftPair<D> => {
    const same = equal[i] ?? null
    if (same) return { state: 'same', a, b: same }
    const b = take((other) => other.target === a.target)
    return { state: b ? 'changed' : 'left', a, b }
  })
  return [...pairs, ...left.map((b): DraftPair<D> => ({ state: 'right', a: null, b }))]
}
