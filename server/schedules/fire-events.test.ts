import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { GATEWAY, NLM_BACKEND } from '#domain/authority/caller.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal } from '#server/proposals/proposal-row.ts'
import { agentCaller } from '#server/runs/agent-caller.ts'
import { OWNER } from '#server/runs/testing/harness.ts'
import { completeJob } from '#server/runs/testing/run-kit.ts'
import type { Services } from '#server/services.ts'
import { fireEvents } from './fire-events.ts'
import { openScheduleKit, type ScheduleKit } from './testing/schedule-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let kit: ScheduleKit
beforeAll(async () => {
  kit = await openScheduleKit(['watcher', 'ping', 'pong'])
})
afterAll(() => kit?.close())

describe('an event', () => {
  const events = async () => {
    await sealAll(kit.kit.db)
    while ((await fireEvents(kit.kit, 'one')) > 0) await sealAll(kit.kit.db)
  }
  /** An artifact of the agent, of this run or of none. */
  async function artifactOf(slug: string, runId: string | null): Promise<void> {
    const jobId = crypto.randomUUID()
    const payload = { query: 'What grows?' }
    const made = await kit.kit.db.transaction((tx) =>
      submitJob(
        tx,
        { job_id: jobId, job_type: 'RESEARCH', agent_slug: slug, run_id: runId, payload },
        GATEWAY,
      ),
    )
    if (!made.ok) throw new Error(made.refusal.message)
    await completeJob(kit.kit, jobId)
    const { rows } = await kit.kit.db.query<{ artifact_id: string }>(
      sql`SELECT artifact_id FROM artifact WHERE job_id = ${jobId}`,
    )
    const resource = { type: 'artifact', id: rows[0]?.artifact_id ?? '' }
    await recordEvent(kit.kit.db, { name: 'artifact.created', actor: NLM_BACKEND, resource })
  }
  const services = () => ({
    ...kit.kit,
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
    const row = await findProposal(kit.kit.db, id)
    if (!row) throw new Error(JSON.stringify(answer))
    const digest = reviewDigest(row, await standingAgainst(await currentContent(kit.kit.garden), row.changes))
    await approveProposal(services(), { proposal_id: id, review_digest: digest }, OWNER)
    await applyDue(createEngine(services()))
  }

  test('of a new note starts who waits for it, once; one of its own proposals never does', async () => {
    await events()
    await kit.define('watcher', { events: ['note/created'] })
    await note('Fresh.md', 'owner')
    await events()
    await kit.kit.db.query(sql`UPDATE consumer SET seq = 0 WHERE name = 'triggers'`)
    await events()
    const [first, ...more] = await kit.slotsOf('watcher')
    expect(more).toEqual([])
    const { rows } = await kit.kit.db.query(
      sql`SELECT trigger, params FROM run WHERE run_id = ${first?.run_id ?? ''}`,
    )
    expect(rows).toEqual([{ trigger: 'event', params: { notes: ['Fresh.md'] } }])
    await note('Own.md', 'watcher')
    await events()
    expect((await kit.slotsOf('watcher')).map((s) => s.refused)).toContain('own_work')
    expect((await kit.slotsOf('watcher')).filter((s) => s.run_id)).toHaveLength(1)
    await kit.commandOf('watcher', 'pause')
    await note('While paused.md', 'owner')
    await kit.commandOf('watcher', 'resume')
    await events()
    expect(await kit.slotsOf('watcher')).toHaveLength(2)
  })

  test('of two agents that answer each other ends with the first round', async () => {
    await kit.define('ping', { events: ['artifact/created'] })
    await kit.define('pong', { events: ['artifact/created'] })
    await artifactOf('watcher', null)
    await events()
    const runOf = async (slug: string) => (await kit.slotsOf(slug)).find((s) => s.run_id)?.run_id ?? null
    await artifactOf('ping', await runOf('ping'))
    await events()
    const chains = async (slug: string) => {
      const { rows } = await kit.kit.db.query<{ chain: string[]; refused: string | null }>(
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
    const { rows } = await kit.kit.db.query<{ run_id: string }>(
      sql`SELECT run_id FROM agent_slot WHERE agent_slug = 'pong' ORDER BY decided_at DESC LIMIT 1`,
    )
    await artifactOf('pong', rows[0]?.run_id ?? null)
    await events()
    expect((await chains('ping')).at(-1)).toEqual({ chain: ['watcher', 'ping', 'pong'], refused: 'own_work' })
    expect((await chains('pong')).at(-1)?.refused).toBe('own_work')
  })
})
