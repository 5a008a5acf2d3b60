/** The write of an artifact: the object first, then one transaction with its row and COMPLETE ([artifacts#writing]). */
import sql, { type Sql } from 'sql-template-tag'
import { NLM_BACKEND, ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { LEASE_SECONDS, PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { AT_FENCE, type LeaseRef, RELEASE_LEASE } from '#server/jobs/job-row.ts'
import { enterBackoff, failExhaustedJobs } from '#server/jobs/retry.ts'
import { fromNow } from '#server/ledger/clock.ts'
import type { Db } from '#server/ledger/database.ts'
import { json, NODE } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { storeAddressed } from '#server/objects/store-addressed.ts'
import { getVerified, StorageUnavailable } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import type { PreparedArtifact } from './artifact-document.ts'

export type Answer = LeaseRef & { artifact: Omit<PreparedArtifact, 'bytes'> & { bytes: number } }

/**
 * The object under its content address, create-only, then read back and hashed ([artifacts#I-A1]). Without a row it is garbage that harms
 * nobody. Throws `StorageUnavailable` when the store does not take it or does not return what it took.
 */
export async function storeArtifact(
  { db, store }: Pick<Services, 'db' | 'store'>,
  artifact: Pick<PreparedArtifact, 'object_key' | 'bytes' | 'sha256'>,
): Promise<void> {
  await storeAddressed({ db, store }, { key: artifact.object_key, bytes: artifact.bytes })
  const back = await getVerified(store, artifact.object_key, artifact.sha256)
  if (!back) throw new StorageUnavailable('The object store does not hold what it took.')
}

/**
 * J7 and J10 for several answered jobs whose objects are stored, in ONE transaction: ARTIFACT_WRITE, the artifact row with its event,
 * COMPLETE ([artifacts#writing]). Each job is guarded by its own fence. Returns, in order, which of them were committed; the others were
 * no longer their holder's, and nothing of them changed.
 */
export async function commitAnswers({ db }: Pick<Services, 'db'>, answers: Answer[]): Promise<boolean[]> {
  return db.transaction(async (tx) => {
    const taken = await takeAnswers(tx, answers)
    const mine = answers.flatMap((answer) => {
      const job = taken.get(answer.job_id)
      return job ? [{ ...answer, job }] : []
    })
    if (mine.length > 0) {
      await changeWithEvent(tx, prepared(insertArtifacts(mine)), () => true)
      await completeJobs(tx, mine)
    }
    return answers.map((a) => taken.has(a.job_id))
  })
}

const leasesOf = (answers: LeaseRef[]): Sql =>
  sql`unnest(${answers.map((a) => a.job_id)}::uuid[], ${answers.map((a) => a.fence)}::bigint[]) AS i(i_job, i_fence)`

/** What an artifact has from its job. */
const HANDED_ON = ['job_id', 'run_id', 'agent_slug', 'reserved_artifact_id'] as const
type TakenJob = Row<'job', (typeof HANDED_ON)[number]>

async function takeAnswers(tx: Db, answers: LeaseRef[]): Promise<Map<string, TakenJob>> {
  const rows = await transition(tx, {
    machine: 'job',
    event: 'nlm_answered',
    actor: ORCHESTRATION_LAYER,
    items: { rows: leasesOf(answers), columns: [] },
    where: sql`o.job_id = i.i_job AND o.fence = i.i_fence`,
    prepared: true,
    set: sql`lease_expires_at = ${fromNow(LEASE_SECONDS)}, phase_deadline = ${fromNow(PHASE_LIMIT_SECONDS.ARTIFACT_WRITE)}, poll_at = NULL`,
    details: AT_FENCE,
    returning: HANDED_ON,
  })
  return new Map(rows.map((job) => [job.job_id, job]))
}

function insertArtifacts(answers: (Answer & { job: TakenJob })[]): Sql {
  const rows = answers.map(({ job, artifact }) => ({ ...artifact, sha: artifact.sha256, ...job }))
  const actor = NLM_BACKEND
  return sql`WITH made AS (
      INSERT INTO artifact (artifact_id, job_id, run_id, agent_slug, type, title, object_key, content_sha256, bytes, engine, grounding, source_paths, tags, entity_refs)
      SELECT i.reserved_artifact_id, i.job_id, i.run_id, i.agent_slug, i.type, i.title, i.object_key, i.sha, i.bytes, i.engine, i.grounding, i.source_paths, i.tags, i.entity_refs
      FROM jsonb_to_recordset(${json(rows)}) AS i(job_id uuid, run_id text, agent_slug text, reserved_artifact_id text, type text, title text,
        object_key text, sha text, bytes integer, engine jsonb, grounding jsonb, source_paths text[], tags text[], entity_refs text[])
      RETURNING *)
    INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, node, refs, details)
    SELECT 'artifact.created', ${actor.identity}::text, ${actor.role}::text, ${actor.via}::text, 'artifact', m.artifact_id, ${NODE}::text,
      jsonb_strip_nulls(jsonb_build_object('artifact_id', m.artifact_id, 'job_id', m.job_id, 'run_id', m.run_id, 'agent', m.agent_slug)),
      jsonb_build_object('type', m.type, 'content_sha256', m.content_sha256, 'bytes', m.bytes)
    FROM made m`
}

async function completeJobs(tx: Db, answers: LeaseRef[]): Promise<void> {
  await transition(tx, {
    machine: 'job',
    event: 'commit',
    actor: ORCHESTRATION_LAYER,
    items: { rows: leasesOf(answers), columns: [] },
    where: sql`o.job_id = i.i_job AND o.fence = i.i_fence`,
    prepared: true,
    set: sql`artifact_id = t.reserved_artifact_id, finished_at = clock_timestamp(), error = NULL, ${RELEASE_LEASE}`,
    details: AT_FENCE,
    returning: ['job_id'],
  })
}

/** J7 and J11: the answer is there, but the object store did not take it. True when the lease was still the holder's. */
export async function failWrite(
  { db }: Pick<Services, 'db'>,
  lease: LeaseRef,
  message: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await takeAnswers(tx, [lease])).has(lease.job_id)) return false
    await enterBackoff(tx, 'write_error', lease, { code: 'STORAGE_ERROR', message })
    await failExhaustedJobs(tx, sql`o.job_id = ${lease.job_id}`)
    return true
  })
}
