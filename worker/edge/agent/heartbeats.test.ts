/** Heartbeats of a real agent at the real control plane: what arrives, by which key, and what happens while nobody answers. */
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Caller } from '#domain/authority/caller.ts'
import {
  ADMIN_KEY,
  type ControlPlaneProcess,
  runControlPlane,
} from '#server/control-plane/testing/control-plane-process.ts'
import { createKey } from '#server/keys/create-key.ts'
import { revokeKey } from '#server/keys/revoke-key.ts'
import { freePort } from '#server/launch/ports.mjs'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { canonicalIdOf } from '../identity.ts'
import { projectsFile, registerProject } from '../ledger/project-registry.ts'
import { writeSyncState } from '../ledger/sync-state.ts'
import { callAgent, runAgentProcess } from '../testing/agent-process.ts'
import type { NodeHome } from '../testing/home-folder.ts'
import { addObservations, makeMemoryFile } from '../testing/memory-file.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { createLineLimit } from './agent-log.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
let database: TestDatabase
let plane: ControlPlaneProcess
let port: number
beforeAll(async () => {
  database = await createTestDatabase()
  port = await freePort()
  plane = await startPlane()
})
afterAll(async () => {
  await plane?.stop()
  await database?.drop()
})
const startPlane = () =>
  runControlPlane({ DATABASE_URL: database.controlPlaneUrl, MEMBRIDGE_PORT: String(port) })

/** One project and node for each test: the control plane remembers nodes. */
let [project, nodeId, count] = ['', '', 0]
beforeEach(() => {
  count += 1
  project = `garden-${count}`
  nodeId = `node-${count}`
})

const environment = (more: Record<string, string> = {}) => ({
  MEMBRIDGE_SERVER_URL: `${plane.url}/`,
  MEMBRIDGE_SERVER_ADMIN_KEY: ADMIN_KEY,
  MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS: '1',
  MEMBRIDGE_NODE_ID: nodeId,
  ...more,
})
const register = (node: NodeHome, name = project) =>
  registerProject(
    projectsFile(node.host, {}),
    { project_id: name, canonical_id: canonicalIdOf(name) },
    new Date(),
  )

async function withWeb<T>(work: (db: Database) => Promise<T>): Promise<T> {
  const web = openDatabase(database.webUrl)
  return await work(web).finally(() => web.close())
}
async function nodeKey() {
  const wanted = { kind: 'node', node_id: nodeId, name: 'x', expires_in_days: 1 } as const
  const made = await withWeb((db) => createKey({ db }, wanted, OWNER))
  if (!made.ok) throw new Error(made.refusal.message)
  return { key_id: made.value.key.key_id, secret: made.value.secret }
}

type SeenNode = Record<string, unknown> & { node_id: string }
async function seen(cid = canonicalIdOf(project)): Promise<SeenNode | undefined> {
  const answer = await fetch(`${plane.url}/projects/${cid}/nodes`, {
    headers: { 'x-membridge-admin': ADMIN_KEY },
  })
  return ((await answer.json()) as SeenNode[]).find((node) => node.node_id === nodeId)
}
const leadershipAt = async (url: string) =>
  (await callAgent(url, `GET /status?project=${project}`)).json.leadership

describe('a node', () => {
  test('is known under its own name before it has a project', async () => {
    await runAgentProcess(makeNodeHome(), environment())
    const node = await waitUntil(() => seen(canonicalIdOf(nodeId)))
    expect(node).toMatchObject({ project_id: null, obs_count: null, db_sha: null, online: true })
  })

  test('with a project in its settings announces that, and no project of its own name', async () => {
    await runAgentProcess(makeNodeHome(), environment({ CLAUDE_PROJECT_ID: project }))
    expect(await waitUntil(() => seen())).toMatchObject({ project_id: project, online: true })
    expect(await seen(canonicalIdOf(nodeId))).toBeUndefined()
  })

  test('announces its projects with what its database holds, and keeps what it is told', async () => {
    const node = makeNodeHome()
    const file = makeMemoryFile(node.path('m.db'), { rows: 3 })
    const sha = 'ab'.repeat(32)
    const state = { last_synced_sha: sha, content_sha256: sha, term: 1, at: 1 }
    await writeSyncState(node.host, canonicalIdOf(project), state)
    await register(node)
    const agent = await runAgentProcess(node, environment({ CLAUDE_MEM_DB: file }))
    const known = await waitUntil(() => seen())
    expect(known).toMatchObject({ project_id: project, obs_count: 3, db_sha: sha, agent_version: '0.1.0' })
    expect(await waitUntil(() => leadershipAt(agent.url))).toMatchObject({
      role: 'unknown',
      lease_state: expect.any(String),
    })
    const writer = new DatabaseSync(file)
    addObservations(writer, 100, 4)
    await waitUntil(async () => (await seen())?.obs_count === 7)
    writer.close()
    await callAgent(agent.url, 'POST /register_project', { body: { project_id: `${project}-b` } })
    await waitUntil(() => seen(canonicalIdOf(`${project}-b`)))
  })

  test('speaks under its own key where it has one, and under the next once config.env holds that', async () => {
    const first = await nodeKey()
    const second = await nodeKey()
    const node = makeNodeHome()
    await register(node)
    const config = (key: string) => node.write('.claude-mem-minio/config.env', `MEMBRIDGE_NODE_KEY=${key}\n`)
    config(first.secret)
    const agent = await runAgentProcess(node, environment({ MEMBRIDGE_SERVER_ADMIN_KEY: 'wrong' }))
    await waitUntil(() => seen())
    await withWeb((db) => revokeKey({ db }, { key_id: first.key_id }, OWNER))
    const says = (start: string) => () => agent.lines().find(({ msg }) => String(msg).startsWith(start))
    expect(await waitUntil(says('heartbeat failed'))).toMatchObject({ status: 401 })
    config(second.secret)
    await waitUntil(says('heartbeats are answered again'))
    expect(agent.output()).not.toContain(second.secret)
  })

  test('without a key says once which variable to set, and serves all the same', async () => {
    const agent = await runAgentProcess(makeNodeHome(), environment({ MEMBRIDGE_SERVER_ADMIN_KEY: '' }))
    const warnings = () => agent.lines().filter(({ msg }) => String(msg).startsWith('heartbeats are off'))
    await waitUntil(() => warnings().length === 1)
    expect(warnings()[0]?.msg).toMatch(/MEMBRIDGE_NODE_KEY.*MEMBRIDGE_SERVER_ADMIN_KEY/)
    expect((await callAgent(agent.url, 'GET /health')).status).toBe(200)
    expect(await agent.stop()).toBe(0)
  })
})

describe('while nobody answers', () => {
  test('a control plane that is killed is asked less often, and answers again when it is back', async () => {
    const node = makeNodeHome()
    await register(node)
    const agent = await runAgentProcess(node, environment())
    await waitUntil(() => seen())
    await plane.stop('SIGKILL')
    const failures = () => agent.lines().filter(({ msg }) => String(msg).startsWith('heartbeat failed'))
    await waitUntil(() => failures().length > 0)
    await waitUntil(async () => (await callAgent(agent.url, 'GET /health')).status === 200)
    plane = await startPlane()
    const again = await waitUntil(() =>
      agent.lines().find(({ msg }) => msg === 'heartbeats are answered again'),
    )
    expect(again.failed_rounds).toBeGreaterThan(0)
    expect(failures()).toHaveLength(1)
    expect(await seen()).toMatchObject({ online: true })
  })

  test('a wrong key is one line a minute, not one a beat, and never in it', async () => {
    const agent = await runAgentProcess(
      makeNodeHome(),
      environment({ MEMBRIDGE_SERVER_ADMIN_KEY: 'canary4c1d' }),
    )
    const refusals = () => plane.lines().filter(({ status }) => status === 401).length
    const before = refusals()
    await waitUntil(() => refusals() >= before + 3)
    const failed = agent.lines().filter(({ level }) => level === 'WARNING')
    expect(failed).toEqual([
      expect.objectContaining({ status: 401, msg: expect.stringMatching(/Unauthorized/) }),
    ])
    expect(agent.output()).not.toContain('canary4c1d')
  })

  test('the agent ends at once, in the middle of a round that gets no answer', async () => {
    const agent = await runAgentProcess(
      makeNodeHome(),
      environment({ MEMBRIDGE_SERVER_URL: 'http://192.0.2.1:9' }),
    )
    const asked = performance.now()
    expect(await agent.stop()).toBe(0)
    expect(performance.now() - asked).toBeLessThan(5_000)
  })
})

test('lines of a kind are one a minute, and the next says how many were suppressed back', () => {
  let now = 0
  const lines = createLineLimit(() => now)
  const admitted = [0, 1, 59_999, 60_000, 60_001, 120_000].map((at) => {
    now = at
    return lines.admit('401')
  })
  expect(admitted).toEqual([0, null, null, 2, null, 1])
  expect(lines.admit('another kind')).toBe(0)
})
