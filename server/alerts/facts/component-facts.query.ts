/** SQL: ages by the database clock, and single rows of the chain by their numbers. */
import sql from 'sql-template-tag'
import { type Component, STALE_SECONDS } from '#contracts/system.contract.ts'
import type { Row } from '#server/ledger/rows.ts'
import { PROJECTOR } from '#server/outbox/consume.ts'
import { remoteLag } from '#server/proposals/remote-lag.query.ts'
import { ago, type Fact, type FactParts } from './fact-parts.ts'

const STORAGE = ['object_store', 'git_garden'] as const satisfies readonly Component[]
const BACKEND: Component = 'nlm_backend'

export const componentFacts = async (parts: FactParts): Promise<Fact[]> => [
  ...(await probeFacts(parts)),
  { condition: 'storage_used', resource: 'disk', value: await parts.usedShare() },
  ...(await auditFacts(parts)),
  ...(await remoteFacts(parts)),
]

type Probe = Pick<Row<'component_health', 'component' | 'status'>, 'component' | 'status'> & {
  seconds: number
}

/** A component that nobody has probed lately says nothing: its alerts stay. */
async function probeFacts({ db, now }: FactParts): Promise<Fact[]> {
  const { rows } =
    await db.query<Probe>(sql`SELECT c.component, c.status, extract(epoch FROM ${now}::timestamptz - c.since)::float8 AS seconds
    FROM component_health c WHERE c.component = ANY(${[...STORAGE, BACKEND]}::text[]) AND c.checked_at > ${ago(now, STALE_SECONDS)}`)
  const probed = new Map(rows.map((row) => [row.component, row]))
  const gone = (component: Component) => probed.get(component)?.status === 'unavailable'
  const seconds = (component: Component) => probed.get(component)?.seconds ?? null
  const since = seconds(BACKEND)
  return [
    ...STORAGE.map((resource): Fact => {
      const known = seconds(resource)
      if (known === null) return { condition: 'storage_down', resource, value: null }
      return { condition: 'storage_down', resource, value: gone(resource) ? known : 0 }
    }),
    // Below zero: for so long it has answered.
    since === null
      ? { condition: 'nlm_down', resource: BACKEND, value: null }
      : { condition: 'nlm_down', resource: BACKEND, value: gone(BACKEND) ? since : -since },
  ]
}

/** Without a remote there is nothing to read, and an alert of before closes. */
async function remoteFacts({ now, ...parts }: FactParts): Promise<Fact[]> {
  const value = await remoteLag(parts, sql`${now}::timestamptz`)
  return value === null ? [] : [{ condition: 'remote_lag', resource: 'garden_remote', value }]
}

type Audit = { unmirrored: number; unsigned: number; faults: number }

/** The oldest event that is not mirrored, or not even sealed; the oldest sealed one that no head covers; the newest finished verification. */
async function auditFacts({ db, now }: FactParts): Promise<Fact[]> {
  const age = (moment: 'ts' | 'sealed_at') =>
    moment === 'ts'
      ? sql`extract(epoch FROM ${now}::timestamptz - e.ts)::float8`
      : sql`extract(epoch FROM ${now}::timestamptz - s.sealed_at)::float8`
  const { rows } = await db.query<Audit>(sql`SELECT
    greatest(0,
      (SELECT ${age('ts')} FROM event_seal s JOIN event e ON e.id = s.event
        WHERE s.seq = 1 + coalesce((SELECT c.seq FROM consumer c WHERE c.name = ${PROJECTOR}), 0)),
      (SELECT ${age('ts')} FROM event e WHERE e.id > h.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id) ORDER BY e.id LIMIT 1)
    ) AS unmirrored,
    greatest(0, (SELECT ${age('sealed_at')} FROM event_seal s WHERE s.seq = 1 + coalesce((SELECT max(a.seq) FROM audit_head a), 0))) AS unsigned,
    coalesce((SELECT jsonb_array_length(v.faults) FROM audit_verification v WHERE v.finished_at IS NOT NULL ORDER BY v.started_at DESC LIMIT 1), 0) AS faults
    FROM event_head h`)
  const { unmirrored = 0, unsigned = 0, faults = 0 } = rows[0] ?? {}
  return [
    { condition: 'audit_unmirrored', resource: 'audit', value: unmirrored },
    { condition: 'audit_unsigned', resource: 'audit', value: unsigned },
    { condition: 'audit_faults', resource: 'audit', value: faults },
  ]
}
