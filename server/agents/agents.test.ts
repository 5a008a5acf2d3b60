import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { pathsSince } from '#server/garden/paths-since.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import type { Db } from '#server/ledger/database.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal } from '#server/proposals/proposal-row.ts'
import type { Services } from '#server/services.ts'
import {
  AGENT_FILE,
  askAndPropose,
  type Kit,
  makeGround,
  openKit,
  scripted,
} from '../runs/testing/run-kit.ts'
import { changeAgentStatus } from './change-agent-status.ts'
import { getAgent } from './get-agent.query.ts'
import { listAgents } from './list-agents.query.ts'
import { proposeDeletion } from './propose-deletion.ts'
import { syncAgents } from './sync-agents.ts'

const OWNER = { role: 'owner', identity: 'owner', via: 'console' } as const
const PERSON = { name: 'Owner', email: 'owner@garden.example' }
let database: TestDatabase
let folder: string
let kit: Kit
let services: Kit & Pick<Services, 'env' | 'entryHandlers'>

beforeEach(async () => {
  database = await createTestDatabase()
  folder = await makeGround(['scout', 'second'])
  kit = await openKit({ url: database.workerUrl, folder })
  services = {
    ...kit,
    env: { APPLY_HOLD_SECONDS: 10 } as Services['env'],
  }
})
afterEach(async () => {
  await kit.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

async function edit(path: string, content: string | null) {
  const parent = await kit.garden.head()
  const change = {
    parent,
    changes: [{ path, content }],
    message: 'By hand',
    author: PERSON,
    committer: PERSON,
  }
  const commit = await kit.garden.commit(change)
  await kit.garden.updateBranch(parent, commit)
}
const agent = async (slug = 'scout') => (await listAgents(kit, {})).items.find((a) => a.slug === slug)
const command = (slug: string, name: Parameters<typeof changeAgentStatus>[1]['command']) =>
  changeAgentStatus(services, { slug, command: name }, OWNER)
const events = async () => {
  const { rows } = await kit.db.query<{ name: string }>(
    sql`SELECT name FROM event WHERE resource_type = 'agent' AND resource_id = 'scout' ORDER BY id`,
  )
  return rows.map((r) => r.name)
}

describe('agents follow the garden', () => {
  test('those of an import enter as draft whatever their file says; those named as ours come active', async () => {
    const report = await syncAgents(kit, { trusted: ['second'] })
    expect(report.created).toEqual(['scout', 'second'])
    expect([(await agent())?.status, (await agent('second'))?.status]).toEqual(['draft', 'active'])
    expect(await syncAgents(kit)).toMatchObject({ created: [], changed: [], missing: [] })
    expect(await events()).toEqual(['agent.created'])
  })

  test('a changed file gives a new revision and its problems; the state is not touched', async () => {
    await syncAgents(kit, { trusted: ['scout'] })
    await edit('agents/scout/_agent.md', AGENT_FILE('scout').replace('model: extractive', 'model: oracle'))
    expect((await syncAgents(kit)).changed).toEqual(['scout'])
    const now = await agent()
    expect(now).toMatchObject({ status: 'active', model: 'oracle', revision: await kit.garden.head() })
    expect(now?.problems.map((p) => [p.severity, p.code])).toEqual([
      ['error', 'model_unavailable'],
      ['warning', 'version_not_raised'],
    ])
  })

  test('a file that is gone leaves its agent, with a problem; when it comes back the problem goes', async () => {
    await syncAgents(kit)
    await edit('agents/scout/_agent.md', null)
    expect((await syncAgents(kit)).missing).toEqual(['scout'])
    expect((await agent())?.problems[0]?.code).toBe('file_missing')
    expect(await command('scout', 'activate')).toMatchObject({
      ok: false,
      refusal: { code: 'VALIDATION_FAILED' },
    })
    await edit('agents/scout/_agent.md', AGENT_FILE('scout'))
    await syncAgents(kit)
    expect((await agent())?.problems).toEqual([])
  })

  test.each<[string, string]>([
    ['a NUL by its YAML name', AGENT_FILE('scout', 'note: "a\\0b"\n')],
    ['a NUL itself', `${AGENT_FILE('scout')}body \0 nul\n`],
    ['half a character', AGENT_FILE('scout', 'note: ["\\ud83c"]\n')],
  ])('a file that holds %s is a problem of its agent alone', async (_, text) => {
    await syncAgents(kit)
    await edit('agents/scout/_agent.md', text)
    await edit('agents/second/_agent.md', `${AGENT_FILE('second')}More.\n`)
    expect((await syncAgents(kit)).changed).toEqual(['scout', 'second'])
    expect((await agent())?.problems).toContainEqual(
      expect.objectContaining({ severity: 'error', code: 'text_invalid' }),
    )
    expect(JSON.stringify(await getAgent(kit, 'scout').then((a) => a?.definition))).not.toMatch(
      /\\u0000|\\ud8/,
    )
  })

  test('an agent that cannot be read keeps none of the others back, and is tried again', async () => {
    await syncAgents(kit)
    await edit('agents/scout/_agent.md', `${AGENT_FILE('scout')}More.\n`)
    await edit('agents/second/_agent.md', `${AGENT_FILE('second')}More.\n`)
    const read: typeof kit.garden.read = async (path, at) => {
      if (path === 'agents/scout/_agent.md') throw new Error('damaged')
      return kit.garden.read(path, at)
    }
    const garden = new Proxy(kit.garden, {
      get: (whole, name) => (name === 'read' ? read : Reflect.get(whole, name).bind(whole)),
    })
    await expect(syncAgents({ ...kit, garden })).rejects.toThrow('damaged')
    expect((await agent('second'))?.revision).toBe(await kit.garden.head())
    expect((await syncAgents(kit)).changed).toEqual(['scout'])
  })

  test('many at once make each agent once', async () => {
    await Promise.all(Array.from({ length: 6 }, () => syncAgents(kit, { trusted: ['scout', 'second'] })))
    expect(await events()).toEqual(['agent.created', 'agent.activated'])
  })
})

describe('what is known of the garden already', () => {
  /** The garden, and which of its methods were called. */
  function watched() {
    const asked: PropertyKey[] = []
    const garden = new Proxy(kit.garden, {
      get: (whole, name) => {
        asked.push(name)
        return Reflect.get(whole, name).bind(whole)
      },
    })
    return { asked, garden }
  }

  test('is not read again for a commit that touches no agent, and for one that does', async () => {
    const { head } = await syncAgents(kit)
    await edit('notes/x.md', '# X\n')
    const { asked, garden } = watched()
    const next = await syncAgents({ ...kit, garden }, { since: head })
    expect(asked.filter((name) => name === 'list' || name === 'read')).toEqual([])
    expect(next).toMatchObject({ head: await kit.garden.head(), created: [], changed: [], missing: [] })
    await edit('agents/scout/_agent.md', `${AGENT_FILE('scout')}\nMore.\n`)
    await edit('notes/y.md', '# Y\n')
    expect((await syncAgents(kit, { since: next.head })).changed).toEqual(['scout'])
  })

  test('counts for nothing on a branch that went elsewhere', async () => {
    const start = await kit.garden.head()
    await edit('agents/scout/_agent.md', `${AGENT_FILE('scout')}\nMore.\n`)
    const { head } = await syncAgents(kit)
    const gitdir = join(folder, 'garden.git')
    await promisify(execFile)('git', ['--git-dir', gitdir, 'update-ref', 'refs/heads/main', start])
    expect((await syncAgents(kit, { since: head })).changed).toEqual(['scout'])
    expect(await pathsSince(kit.garden, { since: head, head: start })).toBeNull()
  })

  test('counts for nothing when more has come since than is looked at', async () => {
    const since = await kit.garden.head()
    await edit('agents/scout/sources/a.md', 'A\n')
    await edit('notes/b.md', 'B\n')
    const head = await kit.garden.head()
    expect(await pathsSince(kit.garden, { since, head, most: 1 })).toBeNull()
    const both = { paths: ['agents/scout/sources/a.md', 'notes/b.md'], commits: 2 }
    expect(await pathsSince(kit.garden, { since, head, most: 2 })).toEqual(both)
  })
})

describe('a command of the owner', () => {
  test('becomes exactly one commit that changes the status in the file and nothing else', async () => {
    await syncAgents(kit, { trusted: ['scout'] })
    const before = await kit.garden.head()
    const paused = await command('scout', 'pause')
    expect(paused).toMatchObject({ ok: true, value: { status: 'paused', unchanged: false } })
    const announced: string[] = []
    const announcing = (tx: Db): Db => ({ ...tx, notify: (...topics) => void announced.push(...topics) })
    const db: Db = { ...kit.db, transaction: (work) => kit.db.transaction((tx) => work(announcing(tx))) }
    await applyDue(createEngine({ ...services, db }))
    expect(announced).toContain('agents')
    const log = await kit.garden.log({ until: before })
    expect(log).toHaveLength(1)
    expect(log[0]?.message).toContain('Agent scout: pause')
    const file = await kit.garden.read('agents/scout/_agent.md')
    expect(file?.text).toBe(AGENT_FILE('scout').replace('status: active', 'status: paused'))
    expect((await syncAgents(kit)).changed).toEqual(['scout'])
    expect(await agent()).toMatchObject({ status: 'paused', file_status: 'paused', problems: [] })
  })

  test('that may not happen changes nothing and is recorded', async () => {
    await syncAgents(kit)
    const refused = await command('scout', 'resume')
    expect(refused).toMatchObject({
      ok: false,
      refusal: {
        code: 'INVALID_AGENT_TRANSITION',
        details: { from: 'draft', allowed: ['activate', 'archive'] },
      },
    })
    const { rows } = await kit.db.query(
      sql`SELECT outcome, error_code FROM event WHERE name = 'agent.refused'`,
    )
    expect(rows).toEqual([{ outcome: 'refused', error_code: 'INVALID_AGENT_TRANSITION' }])
    expect((await kit.db.query(sql`SELECT 1 FROM inbox_entry`)).rows).toEqual([])
  })

  test('activates an agent of a model that a Worker Node answers for only once one is registered', async () => {
    const model = AGENT_FILE('scout', '', 'worker/garden')
    await edit('agents/scout/_agent.md', model)
    await syncAgents(kit)
    let served = false
    const worker = { ...scripted(askAndPropose), serves: async () => served }
    const parts = { ...services, executors: { find: () => worker } }
    const activate = () => changeAgentStatus(parts, { slug: 'scout', command: 'activate' }, OWNER)
    expect(await activate()).toMatchObject({
      ok: false,
      refusal: {
        code: 'VALIDATION_FAILED',
        details: [{ message: expect.stringContaining('worker/garden') }],
      },
    })
    expect((await getAgent(parts, 'scout'))?.problems).toMatchObject([{ code: 'model_unserved' }])
    served = true
    expect(await activate()).toMatchObject({ ok: true, value: { status: 'active' } })
  })

  test('activates only what has no errors', async () => {
    await edit(
      'agents/scout/_agent.md',
      AGENT_FILE('scout').replace('safe_outputs: [propose-note]', 'safe_outputs: []'),
    )
    await syncAgents(kit)
    expect(await command('scout', 'activate')).toMatchObject({
      ok: false,
      refusal: { code: 'VALIDATION_FAILED' },
    })
    expect((await agent())?.status).toBe('draft')
  })

  test('is one transaction: when it cannot be approved, the agent has not moved and nothing was proposed', async () => {
    await syncAgents(kit, { trusted: ['scout'] })
    const failing = (tx: Db): Db => ({
      ...tx,
      notify: (...topics) => {
        if (topics.includes('apply')) throw new Error('after the approval')
      },
    })
    const db: Db = { ...kit.db, transaction: (work) => kit.db.transaction((tx) => work(failing(tx))) }
    const broken = changeAgentStatus({ ...services, db }, { slug: 'scout', command: 'pause' }, OWNER)
    await expect(broken).rejects.toThrow('after the approval')
    expect((await agent())?.status).toBe('active')
    expect((await kit.db.query(sql`SELECT 1 FROM inbox_entry`)).rows).toEqual([])
    expect((await kit.db.query(sql`SELECT 1 FROM proposal`)).rows).toEqual([])
  })

  test('of two at the same time one wins, and there is one proposal', async () => {
    await syncAgents(kit, { trusted: ['scout'] })
    const done = await Promise.all([
      command('scout', 'pause'),
      command('scout', 'pause'),
      command('scout', 'pause'),
    ])
    const made = done.flatMap((d) => (d.ok && d.value.proposal_id ? [d.value.proposal_id] : []))
    expect(made).toHaveLength(1)
    expect((await kit.db.query(sql`SELECT 1 FROM proposal`)).rows).toHaveLength(1)
  })
})

describe('an archived agent', () => {
  test('whose file was removed by hand stays, and comes back with the file', async () => {
    await syncAgents(kit, { trusted: ['scout'] })
    await edit('agents/scout/_agent.md', null)
    await syncAgents(kit)
    expect(await command('scout', 'archive')).toMatchObject({ ok: true, value: { status: 'archived' } })
    await edit('notes/x.md', '# X\n')
    await syncAgents(kit)
    expect((await agent())?.status).toBe('archived')
    await edit('agents/scout/_agent.md', AGENT_FILE('scout'))
    await syncAgents(kit)
    expect(await command('scout', 'restore')).toMatchObject({ ok: true, value: { status: 'draft' } })
  })

  test('is deleted also when the commit is seen before its proposal is applied', async () => {
    await syncAgents(kit)
    const engine = { ...services, env: { ...services.env, RATE_AGENT_CHANGES: 100, APPLY_HOLD_SECONDS: 0 } }
    await changeAgentStatus(engine, { slug: 'scout', command: 'archive' }, OWNER)
    await applyDue(createEngine(engine))
    await syncAgents(kit)
    const asked = await proposeDeletion(engine, { slug: 'scout', confirm: 'scout' }, OWNER)
    if (!asked.ok) throw new Error(asked.refusal.message)
    const row = await findProposal(kit.db, asked.value.proposal_id)
    if (!row) throw new Error('no proposal')
    const review_digest = reviewDigest(
      row,
      await standingAgainst(await currentContent(kit.garden), row.changes),
    )
    expect(await approveProposal(engine, { ...asked.value, review_digest }, OWNER)).toMatchObject({
      ok: true,
    })
    const seen: unknown[] = []
    const updateBranch: typeof kit.garden.updateBranch = async (from, to) => {
      const isMoved = await kit.garden.updateBranch(from, to)
      await syncAgents(kit)
      seen.push((await findProposal(kit.db, row.proposal_id))?.status, (await agent())?.status)
      return isMoved
    }
    const garden = new Proxy(kit.garden, {
      get: (whole, name) => (name === 'updateBranch' ? updateBranch : Reflect.get(whole, name).bind(whole)),
    })
    await applyDue(createEngine({ ...engine, garden }))
    expect(seen).toEqual(['APPLYING', 'deleted'])
    expect((await findProposal(kit.db, row.proposal_id))?.status).toBe('APPLIED')
  })
})

test('the detail holds instructions, frontmatter and sources', async () => {
  await edit('agents/scout/sources/facts.md', '# Facts\n')
  await syncAgents(kit)
  const detail = await getAgent(kit, 'scout')
  expect(detail).toMatchObject({
    instructions: 'Answer the question from the notes.',
    sources: ['agents/scout/sources/facts.md'],
    definition: { slug: 'scout', status: 'active' },
  })
  expect(await getAgent(kit, 'nobody')).toBeNull()
})
