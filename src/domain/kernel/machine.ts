/**
 * A state machine is a table: `event → { from, to }`, one target state an event.
 *
 * The table is the only place that names a state or an edge. From it come the pure decision (`decide`), the guard of the
 * SQL statement (`from`), the trigger of the ledger (`edges`), the diagram in the docs (`toMermaid`), the buttons that are
 * live (`allowed`) and the tests over every pair.
 *
 * `from: null` marks the event that creates the object. An event whose `to` equals its `from` changes no state but still
 * takes part in the competition for the row (a renewal of a fence, a checkpoint).
 */
export type Edge<S extends string> = { readonly from: readonly S[] | null; readonly to: S }

export type Machine<S extends string = string, E extends string = string> = {
  readonly name: string
  readonly states: readonly S[]
  readonly initial: readonly S[]
  readonly final: readonly S[]
  readonly events: Readonly<Record<E, Edge<S>>>
}

export type StateOf<M> = M extends Machine<infer S, string> ? S : never
export type EventOf<M> = M extends Machine<string, infer E> ? E : never

export type Decision<S extends string, E extends string> =
  | { ok: true; to: S }
  | { ok: false; code: 'INVALID_TRANSITION'; from: S; event: E; allowed: E[] }

/** Checks the table itself, so that a typo in it stops the program at start and not in the middle of a transition. */
export function defineMachine<const S extends string, const E extends string>(m: {
  name: string
  states: readonly S[]
  final: readonly S[]
  events: Record<E, { from: readonly S[] | null; to: S }>
}): Machine<S, E> {
  const known = new Set<string>(m.states)
  const edges = Object.entries(m.events) as [E, Edge<S>][]
  for (const [event, { from, to }] of edges) {
    for (const s of [...(from ?? []), to])
      if (!known.has(s)) throw new Error(`${m.name}.${event}: unknown state ${s}`)
    for (const s of from ?? []) {
      if (m.final.includes(s)) throw new Error(`${m.name}.${event}: leaves the final state ${s}`)
    }
  }
  const initial = [...new Set(edges.filter(([, e]) => e.from === null).map(([, e]) => e.to))]
  return { ...m, initial }
}

/** The pure decision: where `event` leads from `from`, or why it may not happen. */
export function decide<S extends string, E extends string>(
  m: Machine<S, E>,
  from: S,
  event: E,
): Decision<S, E> {
  const edge = m.events[event]
  if (edge?.from?.includes(from)) return { ok: true, to: edge.to }
  return { ok: false, code: 'INVALID_TRANSITION', from, event, allowed: allowed(m, from) }
}

/** The events that may happen in this state, in the order of the table. */
export function allowed<S extends string, E extends string>(m: Machine<S, E>, from: S): E[] {
  return (Object.entries(m.events) as [E, Edge<S>][])
    .filter(([, e]) => e.from?.includes(from))
    .map(([name]) => name)
}

/** True when the event may happen in this state. */
export function can<S extends string, E extends string>(m: Machine<S, E>, from: S, event: E): boolean {
  return m.events[event]?.from?.includes(from) ?? false
}

/** Every edge as a row: what the ledger's trigger is compared with. Creation has `from: null`. */
export function edges<S extends string, E extends string>(
  m: Machine<S, E>,
): { event: E; from: S | null; to: S }[] {
  type Row = { event: E; from: S | null; to: S }
  return (Object.entries(m.events) as [E, Edge<S>][]).flatMap(([event, e]): Row[] =>
    (e.from ?? [null]).map((from) => ({ event, from, to: e.to })),
  )
}

/** The diagram of the docs, as Mermaid text. */
export function toMermaid(m: Machine): string {
  const lines = edges(m).map(({ event, from, to }) => `  ${from ?? '[*]'} --> ${to}: ${event}`)
  return ['stateDiagram-v2', ...lines, ...m.final.map((s) => `  ${s} --> [*]`)].join('\n')
}
