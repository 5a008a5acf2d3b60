import { z } from 'zod'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { SEARCH_KINDS } from '#domain/search/search-kinds.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'

export const searchKind = z.enum(SEARCH_KINDS)
export type SearchKind = z.infer<typeof searchKind>

/** Of each kind at most so many are found. */
export const MOST_HITS = 5
/** The open and recent objects that are asked for at once. */
const MOST_RECENT = 12

export const searchInput = z
  .object({
    /** Words, each a part of the object's own or of the name of its state; or an id, whole, its beginning, or as pages shorten it. */
    q: z.string().trim().min(1).max(200),
    /** States that `q` as a whole names in the reader's language. Several with commas. */
    states: z.preprocess(
      (value) => (typeof value === 'string' ? value.split(',').filter(Boolean) : value),
      z
        .array(z.string().regex(/^[A-Za-z_]{1,40}$/))
        .max(20)
        .optional(),
    ),
  })
  .strict()
export type SearchInput = z.infer<typeof searchInput>

export const objectRef = z.object({ kind: searchKind, id: z.string().min(1).max(1_024) }).strict()
export type ObjectRef = z.infer<typeof objectRef>
export const recentInput = z.object({ objects: z.array(objectRef).max(MOST_RECENT) }).strict()

const found = {
  /** Where it is opened: an id, a slug, the path of a note. */
  id: z.string(),
  title: z.string(),
  /** An agent, a path; null for guests where it says who. */
  detail: z.string().nullable(),
}
const withState = <K extends SearchKind, S extends string>(kind: K, states: readonly S[]) =>
  z.object({ kind: z.literal(kind), ...found, status: z.enum(states as [S, ...S[]]) })
const stateless = <K extends SearchKind>(kind: K) =>
  z.object({ kind: z.literal(kind), ...found, status: z.null() })

export const searchHit = z.discriminatedUnion('kind', [
  withState('proposal', proposalMachine.states),
  withState('job', jobMachine.states),
  withState('run', runMachine.states),
  stateless('note'),
  withState('agent', agentMachine.states),
  stateless('artifact'),
  withState('zone', zoneMachine.states),
])
export type SearchHit = z.infer<typeof searchHit>

/** By kind, at most five of each, the best first. */
export const searchAnswer = z.object({ items: z.array(searchHit) })
export type SearchAnswer = z.infer<typeof searchAnswer>
