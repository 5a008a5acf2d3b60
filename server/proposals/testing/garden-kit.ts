/**
 * A garden, a store and a ledger of their own for the tests of inbox, proposals and apply engine. It does not know vitest, so the
 * child processes of the crash tests use it too.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import sql from 'sql-template-tag'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createEngine, type EngineOptions } from '#server/apply/engine.ts'
import type { Env } from '#server/env.ts'
import type { EntryHandlers } from '#server/inbox/entry-handlers.ts'
import type { Origin } from '#server/inbox/origin.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { openReads } from '#server/ledger/prisma.ts'
import type { AgentExecutor } from '#server/ports/agent-executor.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal, type ProposalRow } from '#server/proposals/proposal-row.ts'

export const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
export const OPERATOR: Caller = { role: 'operator', identity: 'operator:olena', via: 'console' }
export const AGENT: Caller = { role: 'agent', identity: 'agent:gardener', via: 'system' }
export const PERSON = { name: 'Owner', email: 'owner@garden.example', at: new Date('2026-01-01T00:00:00Z') }

export const NOTES: Record<string, string> = {
  'Beds/North.md': '# North bed\n\nLeeks and garlic.\n\nWatered on Mondays.\n',
  'Beds/South.md': '---\ntags: [bed]\n---\n# South bed\n\nTomatoes.\n',
  'Грядки/Північна.md': '# Північна\n\nЦибуля.\n',
  'agents/gardener/_agent.md': '---\nname: Gardener\n---\nLook after the beds.\n',
}

const UNAVAILABLE: EntryHandlers = {
  startRun: async () => ({
    ok: false,
    refusal: { code: 'AGENT_NOT_ACTIVE', message: 'no runs in this test' },
  }),
  startJob: async () => ({
    ok: false,
    refusal: { code: 'VALIDATION_FAILED', message: 'no jobs in this test' },
  }),
  definitionErrors: () => [],
}

/** Every model has an executor here, and no test of this kit runs it. */
const NO_RUNS: AgentExecutor = {
  engine: { id: 'extractive', model: null, version: 'test' },
  execute: () => Promise.reject(new Error('no runs in this test')),
}

/** A folder with a bare repository of these notes and an empty store. */
export async function makeGarden(notes: Record<string, string> = NOTES): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-garden-'))
  const source = await mkdtemp(join(tmpdir(), 'bloom-source-'))
  const extraFiles = Object.entries(notes).map(([path, content]) => ({ path, content }))
  await importGarden(source, join(folder, 'garden.git'), { author: PERSON, extraFiles })
  await rm(source, { recursive: true })
  return folder
}

export type Kit = Awaited<ReturnType<typeof openKit>>

type Ledger = { webUrl: string; workerUrl: string }

/** The services over that folder and this database as the web process has them, and the engine as the worker has it. */
export async function openKit(folder: string, { webUrl, workerUrl }: Ledger, holdSeconds = 0) {
  const database = openDatabase(webUrl, { connections: 60 })
  const worker = openDatabase(workerUrl, { connections: 40 })
  const services = {
    database,
    db: database,
    reads: openReads(database),
    garden: await openGitRepository(join(folder, 'garden.git')),
    store: await openDirectoryStore(join(folder, 'store')),
    log: pino({ level: 'silent' }),
    env: { APPLY_HOLD_SECONDS: holdSeconds, RATE_AGENT_CHANGES: 20 } as Env,
    entryHandlers: UNAVAILABLE,
    executors: { find: () => NO_RUNS },
  }
  return {
    folder,
    gitdir: join(folder, 'garden.git'),
    ...services,
    services,
    /** What the worker's loops get. */
    worker: { ...services, database: worker, db: worker },
    engine: (options: EngineOptions = {}) => createEngine({ ...services, db: worker }, options),
    close: async () => {
      await Promise.all([database.close(), worker.close()])
    },
  }
}

export const editOf = (target: string, payload: Record<string, unknown>): SubmitEntryInput => ({
  intent: { action: 'propose-edit', target, payload: { summary: 'An edit', ...payload } },
})
export const noteOf = (path: string, text: string): SubmitEntryInput => ({
  intent: {
    action: 'propose-note',
    target: `notes/${path}`,
    payload: { kind: 'note', text, summary: `New note ${path}` },
  },
})

/** Submits and returns the proposal's row; throws what was refused. */
export async function propose(
  kit: Kit,
  input: SubmitEntryInput,
  caller: Caller = OWNER,
  origin?: Partial<Origin>,
): Promise<ProposalRow> {
  const answer = await submitEntry(kit.services, input, caller, origin)
  if (!answer.ok) throw new Error(`${answer.refusal.code}: ${answer.refusal.message}`)
  return rowOf(kit, answer.value.resolution?.id ?? '')
}

export async function rowOf(kit: Kit, id: string): Promise<ProposalRow> {
  const row = await findProposal(kit.db, id)
  if (!row) throw new Error(`no proposal ${id}`)
  return row
}

/** The digest of what the owner would see now. */
export async function digestNow(kit: Kit, row: ProposalRow): Promise<string> {
  const content = await currentContent(kit.garden)
  return reviewDigest(row, await standingAgainst(content, row.changes))
}

/** Approves as the owner who has just looked; throws what was refused. */
export async function approve(kit: Kit, row: ProposalRow): Promise<ProposalRow> {
  const input = { proposal_id: row.proposal_id, review_digest: await digestNow(kit, row) }
  const outcome = await approveProposal(kit.services, input, OWNER)
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`)
  return outcome.value.row
}

/** Somebody edits the garden by hand, past the console. */
export async function humanCommit(
  kit: Pick<Kit, 'garden'>,
  path: string,
  content: string | null,
): Promise<string> {
  const parent = await kit.garden.head()
  const commit = await kit.garden.commit({
    parent,
    changes: [{ path, content }],
    message: `By hand: ${path}\n`,
    author: PERSON,
    committer: PERSON,
  })
  if (!(await kit.garden.updateBranch(parent, commit))) throw new Error('the branch moved')
  return commit
}

/** Number of events of this proposal, to see that nothing was recorded. */
export async function eventsOf(kit: Kit, id: string): Promise<{ name: string; outcome: string }[]> {
  const { rows } = await kit.db.query<{ name: string; outcome: string }>(
    sql`SELECT name, outcome FROM event WHERE resource_id = ${id} ORDER BY id`,
  )
  return rows
}

/** The garden with some of its operations replaced. */
export const gardenWith = (garden: GitRepository, other: Partial<GitRepository>): GitRepository => ({
  head: () => garden.head(),
  read: (path, revision) => garden.read(path, revision),
  list: (revision) => garden.list(revision),
  commit: (input) => garden.commit(input),
  updateBranch: (expected, next) => garden.updateBranch(expected, next),
  log: (options) => garden.log(options),
  fileHistory: (path, options) => garden.fileHistory(path, options),
  renamedFrom: (path, revision) => garden.renamedFrom(path, revision),
  isOnBranch: (oid) => garden.isOnBranch(oid),
  isBehind: (oid, revision) => garden.isBehind(oid, revision),
  changedPaths: (oid) => garden.changedPaths(oid),
  others: (revision) => garden.others(revision),
  merge: (texts) => garden.merge(texts),
  verify: (signal) => garden.verify(signal),
  sweep: (onFault) => garden.sweep(onFault),
  ...other,
})
