/**
 * The objects of one thing: its body as it came to be, and what happened to it afterwards ([outbox#objects]).
 *
 * A body is made from columns that never change and from the record of the event that created it, so it says the same whenever it is
 * written. Together they are what the ledger knows of the thing: `server/rebuild` makes the rows from them again.
 */
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { madeFrom, type StoredChange } from '#server/proposals/proposal-row.ts'
import type { Services } from '#server/services.ts'
import { about, exactly, type OnceObject, putOnce } from './put-once.ts'
import { type MadeProposal, readProposals, type Subjects } from './read-subjects.ts'

type Parts = Pick<Services, 'db' | 'store'>

/** The name behind `<cid>`, the project's folder in the store. */
const PROJECT = 'garden-bloom'
export const PROJECT_ID = sha256Hex(PROJECT).slice(0, 16)
export const ARTIFACTS = `projects/${PROJECT_ID}/artifacts/`
/** Columns of a job that mean something only while it is worked on, that nobody else may have, or that the ledger makes of others. */
const LEFT_OUT = [
  'lease_holder',
  'lease_expires_at',
  'phase_deadline',
  'poll_at',
  'write_token_hash',
  'failure',
]

const seqName = (e: SealedEvent): string => String(e.seq).padStart(12, '0')
/** A time of a row, or of a record, in the form of all others. */
const iso = (time: unknown): string => new Date(time as string | Date).toISOString()
const recordIn = (e: SealedEvent): Record<string, unknown> | undefined =>
  e.details.record as Record<string, unknown> | undefined

/** Objects that an event alone, or with the row that it speaks of, stands for; none where the row is gone. */
type Bodies = (e: SealedEvent, subjects: Subjects) => OnceObject[]

export const entryObjects: Bodies = (e, { entries }) => {
  const row = entries.get(e.resource_id)
  if (!row) return []
  const isBody = e.name === 'inbox.received'
  const object = isBody ? entryBody({ ...row, ...recordIn(e) }) : entryOutcome(e, recordIn(e) ?? row)
  const key = `inbox/${row.inbox_id.slice(6, 13)}/${row.inbox_id}${isBody ? '' : '.outcome'}.json`
  return [{ key, text: JSON.stringify(object), holds: about('inbox_id', row.inbox_id) }]
}

const entryBody = (row: Row<'inbox_entry'>) => ({
  id: row.inbox_id,
  source: {
    type: row.source_type,
    identity: row.source_identity,
    authenticated: true,
    timestamp: iso(row.received_at),
  },
  intent: { action: row.action, target: row.target, payload: row.payload },
  metadata: { correlation_id: row.correlation_id, priority: row.priority, ttl_hours: row.ttl_hours },
  body_digest: row.body_digest,
  run_id: row.run_id,
  expires_at: iso(row.expires_at),
  updated_at: iso(row.updated_at),
})

const entryOutcome = (e: SealedEvent, record: Record<string, unknown>) => ({
  id: e.resource_id,
  event_id: e.event_id,
  at: e.ts,
  status: e.to_status,
  resolution: record.resolution_id ? { kind: record.resolution_kind, id: record.resolution_id } : null,
  reason: record.reason_code ? { code: record.reason_code, message: record.reason } : null,
  updated_at: iso(record.updated_at),
  ...(record.expires_at ? { expires_at: iso(record.expires_at) } : {}),
})

/** The body of a proposal as it was proposed, create-only; step 03 of a run writes it too, before it ends ([outbox#objects]). */
export async function storeProposalBody({ db, store }: Parts, id: string): Promise<void> {
  for (const row of await readProposals(db, [id])) await putOnce(store, proposalObject(row))
}

const proposalObject = (row: MadeProposal): OnceObject => ({
  key: `proposals/${row.proposal_id}.json`,
  text: JSON.stringify(proposalBody({ ...row, ...row.made })),
  holds: about('proposal_id', row.proposal_id),
})

function proposalBody(row: Row<'proposal'>) {
  return {
    id: row.proposal_id,
    inbox_entry_id: row.inbox_entry_id,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    expires_at: iso(row.expires_at),
    source: {
      type: row.source_type,
      identity: row.source_identity,
      run_id: row.run_id,
      agent: row.agent_slug,
      agent_version: row.agent_version,
      tainted: row.tainted,
    },
    action: row.action,
    target: { type: row.target_type, path: row.target_path, key: row.target_key },
    content: {
      summary: row.summary,
      changes: row.changes.map(changeBody),
      reasoning: row.reasoning,
      citations: row.citations,
      entity_refs: row.entity_refs,
    },
    content_digest: row.content_digest,
    base_revision: row.base_revision,
    target_hash: row.target_hash,
    priority: row.priority,
    relations: madeFrom(row.relations),
    status: proposalMachine.events.create.to,
  }
}

const changeBody = ({ path, base_hash, result_hash, additions, deletions, ...diff }: StoredChange) => ({
  path,
  diff,
  base_hash,
  result_hash,
  additions,
  deletions,
})

export const proposalObjects: Bodies = (e, { proposals }) => {
  const row = e.name === 'proposal.created' ? proposals.get(e.resource_id) : undefined
  const key = `proposals/${e.resource_id}/history/${seqName(e)}-${e.name.split('.')[1]}.json`
  return [...(row ? [proposalObject(row)] : []), { key, text: e.body, holds: exactly(e.body) }]
}

export const artifactObjects: Bodies = (e, { artifacts }) => {
  const object = { ...artifacts.get(e.resource_id), url: `/api/v1/artifacts/${e.resource_id}` }
  const key = `${ARTIFACTS}${e.resource_id}.json`
  return [{ key, text: JSON.stringify(object), holds: about('artifact_id', e.resource_id) }]
}

/** The job as it ended; one that was asked for again meanwhile is written when that ends. */
export const jobObjects: Bodies = (e, { jobs }) => {
  const row = jobs.get(e.resource_id)
  if (!row || row.status !== e.to_status) return []
  const ended = Object.entries(row).filter(([column]) => !LEFT_OUT.includes(column))
  const key = `jobs/${row.job_id}/${seqName(e)}-${row.status.toLowerCase()}.json`
  return [{ key, text: JSON.stringify(Object.fromEntries(ended)), holds: about('job_id', row.job_id) }]
}
