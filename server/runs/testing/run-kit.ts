/**
 * A whole pipeline on a real database, a real store, a real git garden and the product's other rooms; only
 * the executor is scripted. It does not know vitest, so the child processes of the crash tests use it too.
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import pino from 'pino'
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createBuiltInOrchestration } from '#server/adapters/orchestration/built-in.ts'
import { createEntryHandlers } from '#server/composition/create-entry-handlers.ts'
import { create } from '#server/ledger/create.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { transition } from '#server/ledger/transition.ts'
import type {
  AgentExecutor,
  AgentExecutors,
  AgentOutput,
  ExecutorInput,
} from '#server/ports/agent-executor.ts'
import { casKey, sha256Hex } from '#server/ports/object-store.ts'
import type { Orchestration } from '#server/ports/orchestration.ts'
import type { RunParts } from '../run-parts.ts'

const EXTRACTIVE = 'extractive'
const INSTRUCTIONS = 'Answer the question from the notes.'

export const AGENT_FILE = (slug: string, extra = '', model = EXTRACTIVE, body = INSTRUCTIONS) => `---
name: ${slug}
description: An agent of the tests
created_by: owner
slug: ${slug}
version: 1.0.0
model: ${model}
tools: [notebooklm-query, search-notes, read-notes, ask-person, create-proposal]
safe_outputs: [propose-note]
status: active
created_at: 2026-01-01
updated_at: 2026-01-01
${extra}---
${body}
`
const NOTES = [
  { path: 'Beds/North.md', content: '# North bed\n\nThe north bed holds leeks and garlic.\n' },
  { path: 'Beds/South.md', content: '# South bed\n\nThe south bed holds tomatoes. See [[North]].\n' },
]
const PERSON = { name: 'Owner', email: 'owner@garden.example', at: new Date('2026-01-01T00:00:00Z') }

/** A folder with a store and a garden that holds the agents' files. */
export async function makeGround(slugs: string[], notes = NOTES, model = EXTRACTIVE): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-runs-'))
  const extraFiles = [
    ...notes,
    ...slugs.map((slug) => ({ path: `agents/${slug}/_agent.md`, content: AGENT_FILE(slug, '', model) })),
  ]
  await importGarden(await mkdtemp(join(folder, 'empty-')), join(folder, 'garden.git'), {
    author: PERSON,
    extraFiles,
  })
  return folder
}

export type Kit = RunParts & {
  database: Database
  reads: Reads
  orchestration: Orchestration
  close(): Promise<void>
}
export type KitOptions = {
  url: string
  folder: string
  holder?: string
  /** Entries that an agent may submit in a minute. */
  rate?: number
  execute?: (input: ExecutorInput) => Promise<AgentOutput>
  executors?: AgentExecutors
  failpoint?: (name: string) => void | Promise<void>
}

/** Settings of the queue in tests. */
export const LIMITS = { RUNS_MAX_RUNNING: 10, RUNS_QUEUE_DEPTH: 5 }

export async function openKit(options: KitOptions): Promise<Kit> {
  const database = openDatabase(options.url, { connections: 4 })
  const [store, garden] = await Promise.all([
    openDirectoryStore(join(options.folder, 'store')),
    openGitRepository(join(options.folder, 'garden.git')),
  ])
  const executors = options.executors ?? { find: () => scripted(options.execute ?? askAndPropose) }
  return {
    database,
    db: database,
    env: { ...LIMITS, RATE_AGENT_CHANGES: options.rate ?? 100_000 },
    store,
    garden,
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    executors,
    orchestration: createBuiltInOrchestration({ db: database }),
    holder: options.holder ?? 'test',
    entryHandlers: createEntryHandlers(LIMITS, executors),
    pause: async (_ms, signal) => {
      await rest(1, undefined, { signal }).catch(() => {})
    },
    ...(options.failpoint ? { failpoint: options.failpoint } : {}),
    reads: openReads(database),
    close: () => database.close(),
  }
}

export const scripted = (execute: (input: ExecutorInput) => Promise<AgentOutput>): AgentExecutor => ({
  engine: { id: 'extractive', model: null, version: 'test' },
  execute,
})

/** What an agent of the tests gives back. */
export const outputOf = (over: Partial<AgentOutput> = {}): AgentOutput => ({
  summary: 'Done.',
  proposals: [],
  memory_updates: [],
  logic_updates: [],
  grounding: { status: 'grounded', claims: 1, grounded_claims: 1 },
  usage: { input: 0, output: 0 },
  jobs: [],
  artifacts: [],
  engine: { id: 'extractive', model: null, version: 'test' },
  tainted: true,
  ...over,
})

export const noteProposal = (name: string, text: string) => ({
  action: 'propose-note' as const,
  kind: 'note' as const,
  target: `notes/Answers/${name}.md`,
  diff: { type: 'create' as const, text },
  summary: `A note ${name}`,
  reasoning: 'Because it was asked.',
  citations: [],
})

/** Searches, asks a Job, and proposes two notes: every kind of call that the pipeline knows. */
export async function askAndPropose({ tools, params }: ExecutorInput): Promise<AgentOutput> {
  const question = String(params.question)
  const found = await tools['search-notes']({ query: question, top_k: 3 })
  const brief = await tools['notebooklm-query']({ question })
  const proposals = ['one', 'two'].map((name) =>
    noteProposal(`${name}-${params.tag ?? ''}`, `# ${name}\n\n${found.results[0]?.excerpt ?? ''}\n`),
  )
  for (const proposal of proposals) await tools['create-proposal'](proposal)
  return outputOf({ proposals, jobs: [brief.job_id], artifacts: [brief.artifact_id] })
}

/** An active agent whose file lies in the garden. */
export async function addAgent(db: Db, slug: string): Promise<void> {
  const actor = { ...ORCHESTRATION_LAYER, identity: 'owner', role: 'owner' as const }
  await create(db, {
    machine: 'agent',
    actor,
    values: {
      slug,
      name: slug,
      version: '1.0.0',
      model: 'extractive',
      definition: json({}),
      revision: '',
      sha256: '',
    },
  })
  await transition(db, { machine: 'agent', event: 'activate', actor, where: sql`o.slug = ${slug}` })
}

const BRIEF = {
  content: { title: 'Brief' },
  sources: [],
  grounding: { status: 'grounded', claims: 1, grounded_claims: 1 },
}

/** What the Job machine does between PENDING and COMPLETE, in one transaction: an artifact of a run's Job. */
export async function completeJob(
  kit: Pick<RunParts, 'db' | 'store'>,
  jobId: string,
  answer: unknown = BRIEF,
): Promise<void> {
  const document = new TextEncoder().encode(JSON.stringify(answer))
  const digest = sha256Hex(document)
  await kit.store.create(casKey(digest), document)
  const at = { actor: ORCHESTRATION_LAYER, where: sql`o.job_id = ${jobId}` }
  await kit.db.transaction(async (tx) => {
    await transition(tx, { machine: 'job', event: 'admit', ...at })
    await transition(tx, {
      machine: 'job',
      event: 'pick_up',
      ...at,
      set: sql`fence = t.fence + 1, lease_holder = 'x', lease_expires_at = clock_timestamp() + interval '60 s'`,
    })
    await transition(tx, { machine: 'job', event: 'context_ready', ...at })
    await transition(tx, { machine: 'job', event: 'nlm_answered', ...at })
    const { rows } = await tx.query<{ reserved_artifact_id: string; agent_slug: string; run_id: string }>(
      sql`SELECT * FROM job WHERE job_id = ${jobId}`,
    )
    const job = rows[0]
    if (!job) throw new Error('no such job')
    await tx.query(sql`INSERT INTO artifact (artifact_id, job_id, run_id, agent_slug, type, title, object_key, content_sha256, bytes)
      VALUES (${job.reserved_artifact_id}, ${jobId}, ${job.run_id}, ${job.agent_slug}, 'RESEARCH_BRIEF', 'Brief', ${casKey(digest)}, ${digest}, ${document.byteLength})`)
    await transition(tx, {
      machine: 'job',
      event: 'commit',
      ...at,
      set: sql`artifact_id = t.reserved_artifact_id, finished_at = clock_timestamp(), lease_holder = NULL, lease_expires_at = NULL`,
    })
  })
}
