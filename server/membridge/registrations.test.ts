/** Projects and agents: what people register and remove, and what heartbeats change about it. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agentView, projectView, registerAgentRequest } from '#contracts/membridge.contract.ts'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { listAgents } from './list-agents.query.ts'
import { listNodes } from './list-nodes.query.ts'
import { listProjects } from './list-projects.query.ts'
import { registerAgent, removeAgent } from './register-agent.ts'
import { registerProject, removeProject } from './register-project.ts'
import { type TestControlPlane, testControlPlane } from './testing/control-plane.ts'

const CID = 'aeeafec3a5b5710f'
let plane: TestControlPlane
beforeAll(async () => {
  plane = await testControlPlane()
})
beforeEach(() => plane.reset())
afterAll(() => plane?.close())

const project = (name: string) => registerProject(plane, { name }, CONTROL_PLANE_ADMIN)
const agent = (name: string, more = {}) =>
  registerAgent(plane, registerAgentRequest.parse({ name, ...more }), CONTROL_PLANE_ADMIN)
const outcomeOf = ({ ok, ...rest }: Result<unknown>) =>
  'refusal' in rest ? [ok, (rest.refusal as { code: string; message: string }).message] : [ok]
const names = async (type: string, id: string) => (await plane.events(type, id)).map(({ name }) => name)

describe('a fresh instance', () => {
  it('has no projects, no agents and no nodes', async () => {
    expect(await listProjects(plane)).toEqual([])
    expect(await listAgents(plane)).toEqual([])
    expect(await listNodes(plane, { cid: CID })).toEqual([])
    expect(await listNodes(plane, { cid: '../..\0' })).toEqual([])
  })
})

describe('a project', () => {
  it('is registered once under its name, with its event', async () => {
    const made = await project('garden-seedling')
    expect(made).toEqual({
      ok: true,
      value: {
        name: 'garden-seedling',
        canonical_id: CID,
        source: 'manual',
        created_at: expect.closeTo(Date.now() / 1000, -2),
        last_seen: null,
        nodes_count: 0,
      },
    })
    expect(await listProjects(plane)).toEqual([projectView.parse(made.ok && made.value)])
    expect(outcomeOf(await project('garden-seedling'))).toEqual([
      false,
      "Project 'garden-seedling' already exists",
    ])
    expect(await plane.events('project', CID)).toEqual([
      {
        name: 'project.registered',
        actor: CONTROL_PLANE_ADMIN.identity,
        details: { name: 'garden-seedling', source: 'manual' },
      },
    ])
  })

  it('is registered once, however many ask at the same moment', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => project('mem')))
    expect(all.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await names('project', '6fe2e0f6071ac2bb')).toEqual(['project.registered'])
  })

  it('is removed with its event, and unknown after that', async () => {
    await project('mem')
    expect(outcomeOf(await removeProject(plane, { name: 'mem' }, CONTROL_PLANE_ADMIN))).toEqual([true])
    expect(outcomeOf(await removeProject(plane, { name: 'mem' }, CONTROL_PLANE_ADMIN))).toEqual([
      false,
      "Project 'mem' not found",
    ])
    expect((await removeProject(plane, { name: 'a\0b' }, CONTROL_PLANE_ADMIN)).ok).toBe(false)
    expect(await names('project', '6fe2e0f6071ac2bb')).toEqual(['project.registered', 'project.removed'])
  })

  it('registered by hand is removed before one to which a heartbeat gave its name', async () => {
    await plane.beat({ node_id: 'rpi4b', canonical_id: 'other', project_id: 'mem' })
    await project('mem')
    await removeProject(plane, { name: 'mem' }, CONTROL_PLANE_ADMIN)
    expect(await listProjects(plane)).toMatchObject([{ canonical_id: 'other', source: 'heartbeat' }])
  })

  it('comes from a heartbeat that names it, and from no other', async () => {
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID })
    expect(await listProjects(plane)).toEqual([])
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID, project_id: 'garden-seedling' })
    await plane.beat({ node_id: 'orange', canonical_id: CID, project_id: 'another name for it' })
    const [known, ...others] = await listProjects(plane)
    expect(others).toEqual([])
    expect(known).toMatchObject({
      ...{ name: 'garden-seedling', canonical_id: CID, source: 'heartbeat', nodes_count: 2 },
      last_seen: expect.closeTo(Date.now() / 1000, -2),
    })
    expect(await names('project', CID)).toEqual(['project.registered'])
  })

  it('that heartbeats announced becomes a manual one, and stays it', async () => {
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID, project_id: 'as the node calls it' })
    const made = await project('garden-seedling')
    expect(made.ok && made.value).toMatchObject({ source: 'manual', nodes_count: 1, name: 'garden-seedling' })
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID, project_id: 'as the node calls it' })
    expect(await listProjects(plane)).toMatchObject([{ name: 'garden-seedling', source: 'manual' }])
    expect((await project('garden-seedling')).ok).toBe(false)
  })

  it('that was removed is registered again by a live node; its nodes were never gone', async () => {
    const beat = { node_id: 'rpi4b', canonical_id: CID, project_id: 'garden-seedling' }
    await plane.beat(beat)
    await removeProject(plane, { name: 'garden-seedling' }, CONTROL_PLANE_ADMIN)
    expect(await listProjects(plane)).toEqual([])
    expect(await listNodes(plane, { cid: CID })).toHaveLength(1)
    await plane.beat(beat)
    expect(await listProjects(plane)).toMatchObject([{ source: 'heartbeat', nodes_count: 1 }])
  })
})

describe('an agent', () => {
  it('is registered once under its name, with its event', async () => {
    const made = await agent('rpi4b', { url: 'http://192.168.3.184:8001/', status: 'active' })
    const value = agentView.parse(made.ok && made.value)
    expect(value).toEqual({
      ...{ name: 'rpi4b', url: 'http://192.168.3.184:8001', status: 'active' },
      ...{ last_seen: null, agent_version: null, registered_at: expect.closeTo(Date.now() / 1000, -2) },
      capabilities: { claude_cli: false, max_concurrency: 1, labels: [] },
    })
    expect(await listAgents(plane)).toEqual([value])
    expect(outcomeOf(await agent('rpi4b'))).toEqual([false, "Agent 'rpi4b' already registered"])
    expect(await names('worker', 'rpi4b')).toEqual(['worker.registered'])
  })

  it('is online while the node of its name is heard, and offline a minute later', async () => {
    await agent('rpi4b')
    await agent('orange')
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID, agent_version: '0.4.0' })
    await plane.beat({ node_id: 'rpi4b', canonical_id: 'mem', agent_version: null })
    expect(await listAgents(plane)).toMatchObject([
      { name: 'orange', status: 'unknown', last_seen: null },
      { name: 'rpi4b', status: 'online', agent_version: '0.4.0' },
    ])
    await plane.admin(sql`UPDATE membridge_agent SET last_seen = clock_timestamp() - interval '60 seconds'`)
    expect(await listAgents(plane)).toMatchObject([{ name: 'orange' }, { name: 'rpi4b', status: 'offline' }])
  })

  it('is made by nobody but a registration', async () => {
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID })
    expect(await listAgents(plane)).toEqual([])
  })

  it('is removed with its event; its node stays and registers nothing', async () => {
    await agent('rpi4b')
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID })
    expect(outcomeOf(await removeAgent(plane, { name: 'rpi4b' }, CONTROL_PLANE_ADMIN))).toEqual([true])
    expect(outcomeOf(await removeAgent(plane, { name: 'rpi4b' }, CONTROL_PLANE_ADMIN))).toEqual([
      false,
      "Agent 'rpi4b' not found",
    ])
    expect((await removeAgent(plane, { name: 'a\0b' }, CONTROL_PLANE_ADMIN)).ok).toBe(false)
    await plane.beat({ node_id: 'rpi4b', canonical_id: CID })
    expect(await listAgents(plane)).toEqual([])
    expect(await listNodes(plane, { cid: CID })).toHaveLength(1)
    expect(await names('worker', 'rpi4b')).toEqual(['worker.registered', 'worker.removed'])
  })
})
