import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { GATEWAY, NLM_BACKEND } from '#domain/authority/caller.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { createBuiltInOrchestration } from '#server/adapters/orchestration/built-in.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { states } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal } from '#server/proposals/proposal-row.ts'
import { type Harness, OWNER, openHarness } from '#server/runs/testing/harness.ts'
import { completeJob, type Kit } from '#server/runs/testing/run-kit.ts'
import { agentCaller } from '#server/runs/tool-handlers.ts'
import type { Services } from '#server/services.ts'
import { fireEvents } from './fire-events.ts'
import { fireSchedules } from './fire-schedules.ts'
import { registerSchedules } from './register-schedules.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const HOUR = 3_600_000
const STOOD = [
  'gone-paused-resumed',
  'paused-gone-resumed',
  'paused-gone-back-resumed',
  'paused-changed-resumed-back',
]
const SLUGS = [
  ...['kyiv', 'york', 'autumn', 'hourly', 'minute', 'back', 'crash', 'watcher', 'ping', 'pong'],
  ...STOOD.map((name) => `stood-${name}`),
]
let h: Harness
let other: Kit

beforeAll(async () => {
  h = await openHarness(SLUGS)
  other = (await h.worker({ holder: 'other' })).kit
})
afterAll(() => h?.close())

const define = (slug: string, triggers: object) =>
  h.kit.db.query(
    sql`UPDATE agent SET definition = ${JSON.stringify({ triggers })}::jsonb WHERE slug = ${slug}`,
  )
/** One look of a worker at that time of a clock of its own. */
async function look(at: number, kit: Kit = h.kit, failpoint?: (name: string) => void) {
  const now = async () => new Date(at)
  await registerSchedules({ ...kit, orchestration: createBuiltInOrchestration({ db: kit.db, now }) })
  return fireSchedules({ ...kit, now, ...(failpoint ? { failpoint } : {}) })
}
async function slotsOf(slug: string) {
  const { rows } = await h.kit.db.query<{ slot: string; run_id: string | null; refused: string | null }>(
    sql`SELECT slot, run_id, refused FROM agent_slot WHERE agent_slug = ${slug} ORDER BY slot`,
  )
  return rows
}
const timesOf = async (slug: string) => (await slotsOf(slug)).map(({ slot }) => slot.slice('cron:'.length))
/** Runs that wait would fill the queue of their agent. */
const clearQueue = () =>
  transition(h.kit.db, {
    machine: 'run',
    event: 'cancel',
    actor: GATEWAY,
    where: sql`o.status IN ${states(runMachine, 'requested', 'queued')}`,
    set: sql`finished_at = clock_timestamp()`,
  })
const commandOf = (slug: string, event: 'pause' | 'resume') =>
  transition(h.kit.db, { machine: 'agent', event, actor: OWNER, where: sql`o.slug = ${slug}` })
const local = (iso: string, timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(new Date(iso))

describe('a schedule', () => {
  test('fires each slot of thirty days once, over the change of summer time, for two workers and with gaps', async () => {
    await define('kyiv', { cron: '30 3 * * *', zone: 'Europe/Kyiv' })
    await define('york', { cron: '30 2 * * *', zone: 'America/New_York' })
    // Both change to summer time within these days.
    const start = Date.UTC(new Date().getUTCFullYear() + 1, 2, 5, 12)
    await look(start)
    for (let at = start; at <= start + 30 * 24 * HOUR; at += 12 * HOUR) {
      await Promise.all([look(at), look(at, other), look(at + HOUR, other)])
      if ((at / HOUR) % 5 === 0) await clearQueue()
    }
    for (const [slug, zone, usual, moved] of [
      ['kyiv', 'Europe/Kyiv', '03:30', '04:00'],
      ['york', 'America/New_York', '02:30', '03:00'],
    ] as const) {
      const times = (await timesOf(slug)).map((iso) => local(iso, zone).split(' '))
      const days = times.map(([day]) => day)
      expect(new Set(days).size).toBe(days.length)
      expect(days).toHaveLength(30)
      expect(times.filter(([, time]) => time === moved)).toHaveLength(1)
      expect(times.filter(([, time]) => time === usual)).toHaveLength(29)
    }
    const { rows } = await h.kit.db.query(
      sql`SELECT trigger, requested_by FROM run WHERE agent_slug = 'kyiv' GROUP BY 1, 2`,
    )
    expect(rows).toEqual([{ trigger: 'cron', requested_by: 'cron:kyiv' }])
  })

  test('that was missed fires once, its latest slot, and only once', async () => {
    await clearQueue()
    const before = (await slotsOf('kyiv')).length
    const late = Date.UTC(new Date().getUTCFullYear() + 1, 3, 20, 12)
    await Promise.all([look(late), look(late, other)])
    await look(late)
    const after = await timesOf('kyiv')
    expect(after).toHaveLength(before + 1)
    expect(local(after.at(-1) ?? '', 'Europe/Kyiv')).toContain('-04-20 03:30')
  })

  test('fires each slot of the hour that comes twice once, for two workers, one of them started in it', async () => {
    await clearQueue()
    await define('autumn', { cron: '30 3,15 * * *', zone: 'Europe/Kyiv' })
    await define('hourly', { cron: '0 * * * *', zone: 'Europe/Kyiv' })
    const year = new Date().getUTCFullYear() + 1
    // Clocks go back at 01:00 UTC of the last Sunday of October.
    const change = Date.UTC(year, 9, 31, 1) - new Date(Date.UTC(year, 9, 31)).getUTCDay() * 24 * HOUR
    let second = other
    await look(change - 4 * HOUR)
    for (let at = change - 4 * HOUR; at <= change + 4 * HOUR; at += 20 * 60_000) {
      if (at === change + 20 * 60_000) {
        second = (await h.worker({ holder: 'restarted' })).kit
        await clearQueue()
      }
      await Promise.all([look(at), look(at, second)])
    }
    const clocks = async (slug: string) =>
      (await timesOf(slug)).map((iso) => local(iso, 'Europe/Kyiv').split(' ')[1])
    expect(await clocks('autumn')).toEqual(['03:30'])
    expect((await timesOf('autumn'))[0]).toBe(new Date(change - HOUR / 2).toISOString())
    expect(await clocks('hourly')).toEqual([
      '01:00',
      '02:00',
      '03:00',
      '03:00',
      '04:00',
      '05:00',
      '06:00',
      '07:00',
    ])
    const { rows } = await h.kit.db.query(sql`SELECT agent_slug, count(*) AS n FROM run
      WHERE agent_slug IN ('autumn', 'hourly') AND trigger = 'cron' GROUP BY 1 ORDER BY 1`)
    expect(rows).toEqual([
      { agent_slug: 'autumn', n: 1 },
      { agent_slug: 'hourly', n: (await slotsOf('hourly')).filter((s) => s.run_id).length },
    ])
  })

  test('never fires for the time in which its agent was paused', async () => {
    await define('minute', { cron: '* * * * *' })
    const at = Date.now()
    await look(at - 10 * 60_000)
    await commandOf('minute', 'pause')
    await look(at + 5 * 60_000)
    expect(await slotsOf('minute')).toEqual([])
    await commandOf('minute', 'resume')
    await look(at)
    expect(await slotsOf('minute')).toEqual([])
    await look(at + 3 * 60_000)
    const minute = Math.floor((at + 3 * 60_000) / 60_000) * 60_000
    expect(await timesOf('minute')).toEqual([new Date(minute).toISOString()])
  })

  test('begins with the resumption of its agent; one that was taken away and put back begins anew', async () => {
    const at = Date.now()
    await define('back', { cron: '* * * * *' })
    await look(at - 10 * 60_000)
    await commandOf('back', 'pause')
    await look(at - 9 * 60_000)
    await commandOf('back', 'resume')
    await look(at + 2 * 60_000)
    const minute = Math.floor((at + 2 * 60_000) / 60_000) * 60_000
    expect(await timesOf('back')).toEqual([new Date(minute).toISOString()])
    await define('back', {})
    await look(at + 10 * 60_000)
    await define('back', { cron: '* * * * *' })
    await look(at + 15 * 60_000)
    expect(await slotsOf('back')).toHaveLength(1)
  })

  test.each([
    ['gone, paused, resumed', ['gone', 'pause', 'resume']],
    ['paused, gone, resumed', ['pause', 'gone', 'resume']],
    ['paused, gone, back, resumed', ['pause', 'gone', 'back', 'resume']],
    ['paused, changed, resumed, back', ['pause', 'changed', 'resume']],
  ] as const)('fires none of the times in which it did not stand: %s', async (name, steps) => {
    const slug = `stood-${name.replaceAll(', ', '-')}`
    const at = Date.now()
    const every = { cron: '* * * * *' }
    await define(slug, every)
    await look(at - 10 * 60_000)
    for (const [n, step] of steps.entries()) {
      if (step === 'gone') await define(slug, {})
      else if (step === 'back') await define(slug, every)
      else if (step === 'changed') await define(slug, { cron: '0 0 1 1 *' })
      else await commandOf(slug, step)
      await look(at - (9 - n) * 60_000)
    }
    await define(slug, every)
    await look(at + 10 * 60_000)
    // The agent was resumed at the real time, ten minutes before; only where it stood since then has a time come due.
    expect(await slotsOf(slug)).toHaveLength(name.endsWith('back, resumed') ? 1 : 0)
    await look(at + 11 * 60_000)
    expect(await slotsOf(slug)).toHaveLength(name.endsWith('back, resumed') ? 2 : 1)
  })

  test('that changes begins anew; a process that dies inside a slot has not fired it', async () => {
    const at = Date.UTC(new Date().getUTCFullYear() + 2, 0, 1, 12, 30)
    await define('crash', { cron: '0 * * * *' })
    await look(at)
    const dies = () => {
      throw new Error('killed')
    }
    await expect(look(at + HOUR, h.kit, dies)).rejects.toThrow('killed')
    expect(await slotsOf('crash')).toEqual([])
    await look(at + HOUR)
    expect(await slotsOf('crash')).toMatchObject([{ refused: null, run_id: expect.stringMatching(/^run_/) }])
    await define('crash', { cron: '15 * * * *' })
    await look(at + 3 * HOUR)
    await look(at + 3 * HOUR + 1)
    expect(await slotsOf('crash')).toHaveLength(1)
  })
})

describe('an event', () => {
  const events = async () => {
    await sealAll(h.kit.db)
    while ((await fireEvents(h.kit, 'one')) > 0) await sealAll(h.kit.db)
  }
  /** An artifact of the agent, of this run or of none. */
  async function artifactOf(slug: string, runId: string | null): Promise<void> {
    const jobId = crypto.randomUUID()
    const payload = { query: 'What grows?' }
    const made = await h.kit.db.transaction((tx) =>
      submitJob(
        tx,
        { job_id: jobId, job_type: 'RESEARCH', agent_slug: slug, run_id: runId, payload },
        GATEWAY,
      ),
    )
    if (!made.ok) throw new Error(made.refusal.message)
    await completeJob(h.kit, jobId)
    const { rows } = await h.kit.db.query<{ artifact_id: string }>(
      sql`SELECT artifact_id FROM artifact WHERE job_id = ${jobId}`,
    )
    const resource = { type: 'artifact', id: rows[0]?.artifact_id ?? '' }
    await recordEvent(h.kit.db, { name: 'artifact.created', actor: NLM_BACKEND, resource })
  }
  const services = () => ({
    ...h.kit,
    env: { APPLY_HOLD_SECONDS: 0, RATE_AGENT_CHANGES: 100 } as Services['env'],
  })
  /** A new note, proposed by the owner or by an agent, approved and applied. */
  async function note(path: string, by: 'owner' | 'watcher'): Promise<void> {
    const intent = {
      action: 'propose-note' as const,
      target: `notes/${path}`,
      payload: { kind: 'note', text: `# ${path}\n`, summary: path },
    }
    const mine = { agentSlug: 'watcher', safeOutputs: ['propose-note'] }
    const answer = await submitEntry(
      services(),
      { intent },
      by === 'owner' ? OWNER : agentCaller('watcher'),
      by === 'owner' ? {} : mine,
    )
    const id = answer.ok ? (answer.value.resolution?.id ?? '') : ''
    const row = await findProposal(h.kit.db, id)
    if (!row) throw new Error(JSON.stringify(answer))
    const digest = reviewDigest(row, await standingAgainst(await currentContent(h.kit.garden), row.changes))
    await approveProposal(services(), { proposal_id: id, review_digest: digest }, OWNER)
    await applyDue(createEngine(services()))
  }

  test('of a new note starts who waits for it, once; one of its own proposals never does', async () => {
    await events()
    await define('watcher', { events: ['note/created'] })
    await note('Fresh.md', 'owner')
    await events()
    await h.kit.db.query(sql`UPDATE consumer SET seq = 0 WHERE name = 'triggers'`)
    await events()
    const [first, ...more] = await slotsOf('watcher')
    expect(more).toEqual([])
    const { rows } = await h.kit.db.query(
      sql`SELECT trigger, params FROM run WHERE run_id = ${first?.run_id ?? ''}`,
    )
    expect(rows).toEqual([{ trigger: 'event', params: { notes: ['Fresh.md'] } }])
    await note('Own.md', 'watcher')
    await events()
    expect((await slotsOf('watcher')).map((s) => s.refused)).toContain('own_work')
    expect((await slotsOf('watcher')).filter((s) => s.run_id)).toHaveLength(1)
    await commandOf('watcher', 'pause')
    await note('While paused.md', 'owner')
    await commandOf('watcher', 'resume')
    await events()
    expect(await slotsOf('watcher')).toHaveLength(2)
  })

  test('of two agents that answer each other ends with the first round', async () => {
    await define('ping', { events: ['artifact/created'] })
    await define('pong', { events: ['artifact/created'] })
    await artifactOf('watcher', null)
    await events()
    const runOf = async (slug: string) => (await slotsOf(slug)).find((s) => s.run_id)?.run_id ?? null
    await artifactOf('ping', await runOf('ping'))
    await events()
    const chains = async (slug: string) => {
      const { rows } = await h.kit.db.query<{ chain: string[]; refused: string | null }>(
        sql`SELECT chain, refused FROM agent_slot WHERE agent_slug = ${slug} ORDER BY decided_at`,
      )
      return rows
    }
    expect(await chains('ping')).toEqual([
      { chain: ['watcher'], refused: null },
      { chain: ['watcher', 'ping'], refused: 'own_work' },
    ])
    expect(await chains('pong')).toEqual([
      { chain: ['watcher'], refused: null },
      { chain: ['watcher', 'ping'], refused: null },
    ])
    const { rows } = await h.kit.db.query<{ run_id: string }>(
      sql`SELECT run_id FROM agent_slot WHERE agent_slug = 'pong' ORDER BY decided_at DESC LIMIT 1`,
    )
    await artifactOf('pong', rows[0]?.run_id ?? null)
    await events()
    expect((await chains('ping')).at(-1)).toEqual({ chain: ['watcher', 'ping', 'pong'], refused: 'own_work' })
    expect((await chains('pong')).at(-1)?.refused).toBe('own_work')
  })
})
