/**
 * The lists of a Membridge Control Plane as BLOOM Runtime reads them ([runtime#workers]). Other control planes leave out fields, send null, or count in milliseconds: an item
 * that has a usable name is taken, a field of another form counts as absent.
 */
import { z } from 'zod'
import { isName } from '#domain/membridge/identity.rules.ts'
import { agentUrl } from './agent-url.contract.ts'
import { label } from './runtime-fields.contract.ts'

/** No time in seconds since 1970 is as large before the year 5138, and any in milliseconds since 1973. */
const LEAST_MS = 100_000_000_000

const orNull = <T extends z.ZodType>(field: T) => field.nullish().catch(null)
const seconds = orNull(z.number().positive()).transform((time) =>
  time == null ? null : time >= LEAST_MS ? time / 1_000 : time,
)
const name = z.string().trim().refine(isName)
const version = orNull(z.string().trim().min(1).max(64))

/** What fits of a list; the rest of it is left out. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.array(z.unknown()).transform((items) =>
    items.flatMap((raw) => {
      const read = item.safeParse(raw)
      return read.success ? [read.data] : []
    }),
  )

const agentCapabilities = z.object({
  claude_cli: z.boolean().catch(false),
  max_concurrency: z.number().transform(Math.round).pipe(z.number().min(1).max(32)).catch(1),
  labels: listOf(label).catch([]),
})

export const listedAgents = listOf(
  z.object({
    name,
    url: orNull(agentUrl),
    status: orNull(z.string()),
    registered_at: seconds,
    last_seen: seconds,
    capabilities: orNull(agentCapabilities),
    agent_version: version,
  }),
)
export type ListedAgent = z.output<typeof listedAgents>[number]

export const listedProjects = listOf(z.object({ canonical_id: z.string().min(1).max(64) }))

export const listedNodes = listOf(
  z.object({
    node_id: name,
    registered_at: seconds,
    last_seen: seconds,
    ip_addrs: listOf(z.string().trim().min(1).max(64)).catch([]),
    agent_version: version,
  }),
)
export type ListedNode = z.output<typeof listedNodes>[number]
