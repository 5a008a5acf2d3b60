/** Every component that reads jobs or artifacts is asked for its right at the use-case itself, and an agent's tools read its own alone. */
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { artifactListInput } from '#contracts/artifact.contract.ts'
import { jobListInput } from '#contracts/job.contract.ts'
import {
  APPLY_ENGINE,
  type Caller,
  GATEWAY,
  NLM_BACKEND,
  ORCHESTRATION_LAYER,
} from '#domain/authority/caller.ts'
import { NOTE_BUDGET } from '#domain/garden/note-budget.rules.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { getJob } from '#server/jobs/get-job.query.ts'
import { listFailures } from '#server/jobs/list-failures.query.ts'
import { countJobs, listJobs } from '#server/jobs/list-jobs.query.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import {
  ADDRESSES,
  addAgent,
  addJob,
  call,
  complete,
  jobLine,
  OPERATOR,
  OWNER,
  openRoom,
  type Room,
} from '#server/jobs/testing/queue-room.ts'
import { agentCaller } from '#server/runs/agent-caller.ts'
import { jobIdOfCall } from '#server/runs/run-ids.ts'
import { toolHandlers } from '#server/runs/tool-handlers.ts'
import { getArtifact } from './get-artifact.query.ts'
import { countArtifacts, listArtifacts } from './list-artifacts.query.ts'
import { listRunArtifacts } from './run-artifacts.query.ts'

let room: Room
const home = path.join(tmpdir(), `bloom-reads-${process.pid}`)
beforeAll(async () => {
  room = await openRoom()
})
afterAll(async () => {
  await room?.close()
  await rm(home, { recursive: true, force: true })
})

/** `garden` and `store` are not reached by these reads. */
const parts = () => ({
  ...room.web,
  env: ADDRESSES,
  garden: { head: async () => 'r1' } as never,
  store: { get: async () => null } as never,
})
const codeOf = async (asked: Promise<unknown>): Promise<string> => {
  const answer = await asked.catch((error) => ({
    ok: false,
    refusal: error.refusal ?? { code: String(error) },
  }))
  const { ok = true, refusal } = answer as { ok?: boolean; refusal?: { code: string } }
  return ok ? 'ok' : (refusal?.code ?? '')
}

const MEMORY_BACKEND: Caller = { role: 'service', identity: 'memory-backend', via: 'system' }
const CONTROL_PLANE: Caller = { role: 'service', identity: 'membridge', via: 'control-plane' }
const SOMEBODY: Caller = { role: 'service', identity: 'somebody', via: 'system' }
const NO = 'AUTHORITY_VIOLATION'

describe('a read is asked for its right by the use-case', () => {
  it.each<[string, Caller, string, string]>([
    ['the owner', OWNER, 'ok', 'ok'],
    ['an operator', OPERATOR, 'ok', 'ok'],
    ['the gateway', GATEWAY, 'ok', 'ok'],
    ['the Orchestration Layer', ORCHESTRATION_LAYER, 'ok', 'ok'],
    ['the control plane', CONTROL_PLANE, 'ok', 'ok'],
    ['the NotebookLM Backend', NLM_BACKEND, NO, 'ok'],
    ['the Memory Backend', MEMORY_BACKEND, NO, NO],
    ['the Apply Engine', APPLY_ENGINE, NO, NO],
    ['an agent', agentCaller('scout'), NO, NO],
    ['nobody known', SOMEBODY, NO, NO],
  ])('%s: jobs and artifacts', async (_, caller, jobs, artifacts) => {
    const asked = [
      listJobs(parts(), jobListInput.parse({}), caller),
      countJobs(parts(), caller),
      listFailures(parts(), { resolved: 'no' }, caller),
      listArtifacts(parts(), artifactListInput.parse({}), caller),
      countArtifacts(parts(), caller),
      listRunArtifacts({ ...parts(), env: ADDRESSES }, 'run_of_nobody', caller),
    ]
    const codes = await Promise.all(asked.map(codeOf))
    const run = artifacts === 'ok' ? 'NOT_FOUND' : artifacts
    expect(codes).toEqual([jobs, jobs, jobs, artifacts, artifacts, run])
    const { rows } = await room.db.query<{ n: number }>(
      sql`SELECT count(*)::int AS n FROM event WHERE error_code = ${NO} AND actor = ${caller.identity}`,
    )
    expect(rows[0]?.n).toBe(codes.filter((code) => code === NO).length)
  })

  it('the NotebookLM Backend reads a job while it is with it, an agent an artifact of its own', async () => {
    const [slug, other] = [await addAgent(room.db, 'reader'), await addAgent(room.db, 'stranger')]
    const id = await addJob(room.db, { agent: slug })
    const read = () => codeOf(getJob(parts(), { job_id: id }, NLM_BACKEND))
    expect(await read()).toBe(NO)
    const leased = await call(room, id)
    expect(await read()).toBe('ok')
    await complete(room, leased)
    expect(await read()).toBe(NO)
    const artifact = (await jobLine(room.db, id)).artifact_id ?? ''
    const get = (caller: Caller) => codeOf(getArtifact(parts(), artifact, caller))
    expect(await get(agentCaller(other))).toBe(NO)
    // The store of this test holds no document, which comes after the right.
    expect(await get(agentCaller(slug))).toBe('ARTIFACT_CORRUPT')
  })
})

describe('the tools of a run', () => {
  const INPUT = { question: 'What grows?' }
  const CALL = { index: 0, tool: 'notebooklm-query', inputDigest: 'x' } as const

  it('read the artifact of their own run, never that of another under the same id', async () => {
    const agent_slug = await addAgent(room.db, 'asker')
    const run = { run_id: 'run_2026-11-22_abcdef', agent_slug, priority: 'normal' }
    const job_id = jobIdOfCall(run.run_id, 0)
    const made = await submitJob(
      room.db,
      { job_id, job_type: 'RESEARCH', agent_slug, payload: { query: 'q' } },
      ORCHESTRATION_LAYER,
    )
    expect(made.ok).toBe(true)
    await complete(room, await call(room, job_id))
    const store = await openDirectoryStore(home)
    const pinned = { revision: 'r1', context: { agent_slug } }
    const tools = toolHandlers({ db: room.db, store } as never, {} as never, run as never, pinned as never)
    await expect(tools['notebooklm-query'](INPUT, CALL)).rejects.toMatchObject({ code: 'TOOL_DENIED' })
  })

  it('read of a long note the beginning, and the whole where it is named', async () => {
    const text = 'Leeks. '.repeat(NOTE_BUDGET.bytes / 4)
    const bytes = Buffer.from(text)
    const garden = {
      list: async () => [{ path: 'Log.md', oid: 'o' }],
      read: async () => ({ text, bytes, sha256: 's' }),
    }
    const agent_slug = await addAgent(room.db, 'notes-reader')
    const run = { run_id: 'run_2026-11-22_abcdef', agent_slug }
    const pinned = { revision: 'r1', context: { agent_slug } }
    const tools = toolHandlers({ db: room.db, garden } as never, {} as never, run as never, pinned as never)
    const lengthOf = async (input: { paths?: string[] }) =>
      (await tools['read-notes'](input, { ...CALL, tool: 'read-notes' })).notes.map(
        (note) => note.text.length,
      )
    expect(await lengthOf({})).toEqual([NOTE_BUDGET.bytes + 1])
    expect(await lengthOf({ paths: ['Log.md'] })).toEqual([text.length])
  })

  it('read the context that was assembled for their agent alone', async () => {
    const of = (agent_slug: string) =>
      toolHandlers(
        { db: room.db } as never,
        {} as never,
        { run_id: 'run_2026-11-22_abcdef', agent_slug } as never,
        { revision: 'r1', context: { agent_slug: 'scout' } } as never,
      )['read-context']({}, { ...CALL, tool: 'read-context' })
    expect(await of('scout')).toEqual({ agent_slug: 'scout' })
    await expect(of('other')).rejects.toMatchObject({ code: 'TOOL_DENIED' })
  })
})
