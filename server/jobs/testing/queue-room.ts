/** What tests of the queue share: a database of their own, agents, jobs in a wanted state, and answers. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import type { ArtifactSubmission } from '#contracts/artifact.contract.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import type { JobState } from '#domain/job/job.machine.ts'
import { type PreparedArtifact, prepareArtifact } from '#server/artifacts/artifact-document.ts'
import { type Answer, commitAnswers } from '#server/artifacts/write-artifact.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { create } from '#server/ledger/create.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { transition } from '#server/ledger/transition.ts'
import { readyContexts } from '../backend-call.ts'
import type { LeasedJob } from '../job-row.ts'
import { claimJobs } from '../queue.ts'
import { submitJob } from '../submit-job.ts'

export const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
export const OPERATOR: Caller = { role: 'operator', identity: 'operator:olena', via: 'console' }

/** Addresses that nobody calls. */
export const ADDRESSES = {
  GATEWAY_URL: 'http://127.0.0.1:3000',
  NLM_CALLBACK_URL: 'http://127.0.0.1:8000',
  PUBLIC_URL: 'http://localhost:3000',
}

export type Room = {
  url: string
  database: Database
  db: Db
  /** The same ledger under the web process's role: for what the console and the gateway ask. */
  web: { db: Db; database: Database; reads: Reads }
  /** Where the control plane has it. */
  planeUrl: string
  /** The same under the owner's: for what no process may do. */
  ownerUrl: string
  /** As a process that ends and begins again: `database` and `db` are new ones. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** A database of its own, as the worker has it, that notifies nobody: what works without notifications works. */
export async function openRoom(connections = 20): Promise<Room> {
  const test = await createTestDatabase()
  const open = () => openDatabase(test.workerUrl, { connections })
  const database = open()
  const web = openDatabase(test.webUrl, { connections })
  const room: Room = {
    url: test.workerUrl,
    database,
    db: database,
    web: { db: web, database: web, reads: openReads(web) },
    planeUrl: test.controlPlaneUrl,
    ownerUrl: test.url,
    restart: async () => {
      await room.database.close()
      room.database = open()
      room.db = room.database
    },
    close: async () => {
      await Promise.all([room.database.close(), web.close()])
      await test.drop()
    },
  }
  return room
}

export async function addAgent(db: Db, slug: string): Promise<string> {
  await create(db, {
    machine: 'agent',
    actor: GATEWAY,
    values: {
      slug,
      name: slug,
      version: '1',
      model: 'extractive',
      definition: json({}),
      revision: 'r',
      sha256: 'x',
    },
  })
  await transition(db, { machine: 'agent', event: 'activate', actor: GATEWAY, where: sql`o.slug = ${slug}` })
  return slug
}

/** A fresh agent with one PENDING job; returns the job's id. */
export async function addJob(
  db: Db,
  more: {
    agent?: string
    max_attempts?: number
    query?: string
    sources?: { ref: string; url: string }[]
  } = {},
): Promise<string> {
  const agent = more.agent ?? (await addAgent(db, `a-${randomUUID().slice(0, 8)}`))
  const made = await submitJob(
    db,
    {
      job_type: 'RESEARCH',
      agent_slug: agent,
      payload: {
        query: more.query ?? 'What does the garden say?',
        ...(more.sources ? { sources: more.sources } : {}),
      },
      max_attempts: more.max_attempts,
    },
    OWNER,
  )
  if (!made.ok) throw new Error(made.refusal.message)
  return made.value.job_id
}

export type JobLine = {
  status: JobState
  attempt: number
  fence: number
  failure_kind: string | null
  error: { code: string; message: string; phase: string } | null
  artifact_id: string | null
  lease_holder: string | null
}

export async function jobLine(db: Db, id: string): Promise<JobLine> {
  const { rows } = await db.query<JobLine>(
    sql`SELECT status, attempt, fence, failure_kind, error, artifact_id, lease_holder FROM job WHERE job_id = ${id}`,
  )
  return rows[0] as JobLine
}

/** Claims until the job is leased; others that come along stay leased too. */
export async function hold(
  room: Pick<Room, 'db' | 'database'>,
  id: string,
  holder = 'worker-1',
): Promise<LeasedJob> {
  const claimed = await claimJobs(room, { holder, limit: 1_000 })
  const job = claimed.find((one) => one.job_id === id)
  if (!job) throw new Error(`job ${id} was not claimed`)
  return job
}

/** Claims and brings the job to NOTEBOOKLM_CALL with this write token's hash. */
export async function call(
  room: Pick<Room, 'db' | 'database'>,
  id: string,
  tokenHash = 'h',
  holder = 'worker-1',
): Promise<LeasedJob> {
  const job = await hold(room, id, holder)
  const context = { context_key: 'contexts/x.json', context_sha256: 'x', write_token_hash: tokenHash }
  await readyContexts(room.db, [{ job_id: id, fence: job.fence, ...context }])
  return job
}

export const submissionFor = (jobId: string, text = 'A sentence.'): ArtifactSubmission => ({
  job_id: jobId,
  type: 'RESEARCH_BRIEF',
  content: {
    title: 'An answer',
    summary: text,
    sections: [{ heading: 'One', body: text, sources: ['notes/one.md'] }],
    conclusions: [],
    open_questions: [],
  },
  sources: [{ ref: 'notes/one.md', lines: { from: 1, to: 1 }, excerpt: text, revision: 'r1' }],
  entity_refs: [],
  tags: [],
  grounding: { status: 'grounded', claims: 1, grounded_claims: 1 },
  engine: { id: 'extractive', model: null, version: '1' },
})

export function answerFor(job: LeasedJob): Answer {
  const prepared = prepareArtifact(job, submissionFor(job.job_id))
  if (!prepared.ok) throw new Error(prepared.refusal.message)
  const artifact: PreparedArtifact = prepared.value
  return {
    job_id: job.job_id,
    fence: job.fence,
    artifact: { ...artifact, bytes: artifact.bytes.byteLength },
  }
}

export async function complete(room: Room, job: LeasedJob): Promise<boolean> {
  const [done] = await commitAnswers(room, [answerFor(job)])
  return done ?? false
}

/** Lets the leases of these jobs expire on the database's clock. */
export async function expireLeases(db: Db, ids: string[]): Promise<void> {
  await db.query(
    sql`UPDATE job SET lease_expires_at = clock_timestamp() - interval '1 second' WHERE job_id = ANY(${ids}::uuid[])`,
  )
}

/** Lets a backoff elapse. */
export async function endBackoff(db: Db, id: string): Promise<void> {
  await db.query(
    sql`UPDATE job SET not_before = clock_timestamp() - interval '1 second' WHERE job_id = ${id}`,
  )
}

export async function eventsOf(
  db: Db,
  id: string,
): Promise<
  {
    name: string
    transition: string | null
    to_status: string | null
    outcome: string
    details: Record<string, unknown>
  }[]
> {
  const { rows } = await db.query<{
    name: string
    transition: string | null
    to_status: string | null
    outcome: string
    details: Record<string, unknown>
  }>(
    sql`SELECT name, transition, to_status, outcome, details FROM event WHERE resource_type = 'job' AND resource_id = ${id} ORDER BY id`,
  )
  return rows
}
