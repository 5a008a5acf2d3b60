/**
 * The rows that events speak of, read at once for all events of a part: a statement a kind and not one an event. Of jobs, what the row holds now;
 * whether that is still the end that the event tells of is for the reader to see.
 */
import sql from 'sql-template-tag'
import { JOB_ENDED } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'

/** A proposal with what the event that created it recorded. */
export type MadeProposal = Row<'proposal'> & { made: Partial<Row<'proposal'>> | null }

export type Subjects = {
  entries: ReadonlyMap<string, Row<'inbox_entry'>>
  /** Of those whose creation is among the events. */
  proposals: ReadonlyMap<string, MadeProposal>
  /** Of those that ended. */
  jobs: ReadonlyMap<string, Row<'job'>>
  artifacts: ReadonlyMap<string, Row<'artifact'>>
}

/** The event ends a job, at least until an operator asks for it again. */
export const isEnd = (e: SealedEvent): boolean =>
  e.resource_type === 'job' && JOB_ENDED.some((ended) => ended === e.to_status)

export async function readSubjects(db: Db, events: readonly SealedEvent[]): Promise<Subjects> {
  const idsOf = (speaks: (e: SealedEvent) => boolean) => [
    ...new Set(events.filter((e) => e.outcome === 'ok' && speaks(e)).map((e) => e.resource_id)),
  ]
  const [entries, proposals, jobs, artifacts] = await Promise.all([
    readEntries(
      db,
      idsOf((e) => e.resource_type === 'inbox'),
    ),
    readProposals(
      db,
      idsOf((e) => e.name === 'proposal.created'),
    ),
    readJobs(db, idsOf(isEnd)),
    readArtifacts(
      db,
      idsOf((e) => e.name === 'artifact.created'),
    ),
  ])
  return {
    entries: new Map(entries.map((row) => [row.inbox_id, row])),
    proposals: new Map(proposals.map((row) => [row.proposal_id, row])),
    jobs: new Map(jobs.map((row) => [row.job_id, row])),
    artifacts: new Map(artifacts.map((row) => [row.artifact_id, row])),
  }
}

async function readEntries(db: Db, ids: string[]): Promise<Row<'inbox_entry'>[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<Row<'inbox_entry'>>(
    prepared(sql`SELECT i.* FROM inbox_entry i WHERE i.inbox_id = ANY(${ids}::text[])`),
  )
  return rows
}

export async function readProposals(db: Db, ids: string[]): Promise<MadeProposal[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<MadeProposal>(
    prepared(sql`SELECT p.*, (SELECT e.details -> 'record' FROM event e WHERE e.resource_type = 'proposal' AND e.resource_id = p.proposal_id
      AND e.transition = 'create' ORDER BY e.id LIMIT 1) AS made FROM proposal p WHERE p.proposal_id = ANY(${ids}::text[])`),
  )
  return rows
}

async function readJobs(db: Db, ids: string[]): Promise<Row<'job'>[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<Row<'job'>>(
    prepared(sql`SELECT j.* FROM job j WHERE j.job_id = ANY(${ids}::uuid[])`),
  )
  return rows
}

async function readArtifacts(db: Db, ids: string[]): Promise<Row<'artifact'>[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<Row<'artifact'>>(
    prepared(sql`SELECT a.* FROM artifact a WHERE a.artifact_id = ANY(${ids}::text[])`),
  )
  return rows
}
