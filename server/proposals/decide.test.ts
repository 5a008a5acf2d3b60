import fc from 'fast-check'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Result } from '#domain/kernel/result.ts'
import { type ProposalState, proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { stateAllows } from '#domain/proposal/proposal-commands.rules.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import { openDatabase } from '#server/ledger/database.ts'
import type { Topic } from '#server/ledger/topics.ts'
import { discardOldRejections, expireProposals } from './close-proposal.ts'
import { approveProposal } from './decide-proposal.ts'
import { proposalCommands } from './testing/commands.ts'
import {
  approve,
  digestNow,
  editOf,
  eventsOf,
  gardenWith,
  humanCommit,
  noteOf,
  OPERATOR,
  OWNER,
  propose,
  rowOf,
} from './testing/garden-kit.ts'
import { type NewKit, newKit } from './testing/new-kit.ts'

let kit: NewKit
let count = 0
beforeAll(async () => {
  kit = await newKit({ holdSeconds: 10 })
})
afterAll(() => kit.end())

const fresh = () => propose(kit, noteOf(`New ${++count}.md`, 'x\n'))
const NOTE = 'this is not what we need'
const codeOf = (outcome: Result<unknown>) => (outcome.ok ? 'ok' : outcome.refusal.code)

/** A proposal in that state, reached through the ledger's own edges. */
async function inState(state: ProposalState): Promise<string> {
  const { proposal_id: id } = await fresh()
  const path: Record<ProposalState, ProposalState[]> = {
    PENDING: [],
    APPROVED: ['APPROVED'],
    AUTO_APPROVED: ['AUTO_APPROVED'],
    APPLYING: ['APPROVED', 'APPLYING'],
    APPLIED: ['APPROVED', 'APPLYING', 'APPLIED'],
    FAILED: ['APPROVED', 'APPLYING', 'FAILED'],
    REJECTED: ['REJECTED'],
    DISCARDED: ['REJECTED', 'DISCARDED'],
    EXPIRED: ['EXPIRED'],
  }
  for (const to of path[state]) {
    await kit.db.query(sql`UPDATE proposal SET status = ${to}, decided_at = clock_timestamp(), decided_by = 'owner',
      apply_not_before = '2099-01-01', lease_expires_at = clock_timestamp() + interval '1 day',
      git_commit = ${to === 'APPLIED' ? id : null}, error = ${to === 'FAILED' ? '{"code":"timeout","message":"slow"}' : null}::jsonb
      WHERE proposal_id = ${id}`)
  }
  return id
}

async function command(name: string, id: string): Promise<string> {
  const input = { proposal_id: id }
  const s = kit.services
  const row = await rowOf(kit, id)
  switch (name) {
    case 'approve':
      return codeOf(
        await proposalCommands.approve(s, { ...input, review_digest: await digestNow(kit, row) }, OWNER),
      )
    case 'reject':
      return codeOf(await proposalCommands.reject(s, { ...input, decision_note: NOTE }, OWNER))
    case 'extend':
      return codeOf(await proposalCommands.extend(s, { ...input, hours: 1, reason: NOTE }, OWNER))
    case 'snooze':
      return codeOf(
        await proposalCommands.snooze(
          s,
          { ...input, until: new Date(Date.now() + 60_000).toISOString() },
          OWNER,
        ),
      )
    case 'force':
      return codeOf(
        await proposalCommands.force(s, { ...input, over_hash: 'absent', reason: NOTE }, OWNER, true),
      )
    default:
      return codeOf(await proposalCommands[name as 'undo'](s, input, OWNER))
  }
}

describe('ten commands in nine states', () => {
  const commands = [
    'approve',
    'reject',
    'undo',
    'retry',
    'force',
    'discard',
    'resubmit',
    'extend',
    'snooze',
    'archive',
  ] as const
  test.each(proposalMachine.states)('%s', async (state) => {
    for (const name of commands) {
      const id = await inState(state)
      const before = await rowOf(kit, id)
      const code = await command(name, id)
      const after = await rowOf(kit, id)
      if (!stateAllows(name, state)) {
        expect(code, `${name} in ${state}`).toBe('INVALID_TRANSITION')
        expect(after).toEqual(before)
        expect((await eventsOf(kit, id)).at(-1)).toMatchObject({ outcome: 'refused' })
      } else if (name === 'force') {
        expect(code).toBe('VALIDATION_FAILED')
        expect(after.status).toBe('FAILED')
      } else {
        expect(code, `${name} in ${state}`).toBe('ok')
        const event = (proposalMachine.events as Record<string, { to: string }>)[name]
        expect(after.status, `${name} in ${state}`).toBe(event ? event.to : state)
      }
    }
  })

  test('the refusal says from where, what, and what is possible', async () => {
    const id = await inState('APPLIED')
    const outcome = await proposalCommands.undo(kit.services, { proposal_id: id }, OWNER)
    expect(outcome).toMatchObject({
      refusal: { details: { from: 'APPLIED', event: 'undo', allowed: ['revert', 'archive', 'unarchive'] } },
    })
  })
})

describe('of parallel decisions exactly one wins', () => {
  const rounds = Number(process.env.DECIDE_ROUNDS ?? 3)
  test(`50 at once, ${rounds} rounds`, async () => {
    for (let round = 0; round < rounds; round++) {
      const row = await fresh()
      const { proposal_id: id } = row
      const digest = await digestNow(kit, row)
      // Its time is over for the sweep and not yet for the others: only the guard of the statement decides.
      const expire = async () => {
        await kit.db.query(
          sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${id} AND status = 'PENDING'`,
        )
        return expireProposals(kit.worker)
      }
      const actor = (n: number) => ({ ...OWNER, identity: `owner-${n}` })
      const attempts = Array.from({ length: 50 }, (_, n) => {
        if (n % 25 === 24) return expire()
        return n % 2 === 0
          ? proposalCommands.approve(kit.services, { proposal_id: id, review_digest: digest }, actor(n))
          : proposalCommands.reject(kit.services, { proposal_id: id, decision_note: NOTE }, actor(n))
      })
      const outcomes = await Promise.all(attempts)
      const won = outcomes.filter((o) => (typeof o === 'number' ? o > 0 : o.ok && !o.value.unchanged))
      const moves = (await eventsOf(kit, id)).filter(
        (e) => e.outcome === 'ok' && e.name !== 'proposal.created',
      )
      expect(moves).toHaveLength(1)
      expect(won.length).toBeLessThanOrEqual(1)
      expect((await rowOf(kit, id)).version).toBe(2)
    }
  })

  test('a repeat by the same person changes nothing, by another it is refused', async () => {
    const row = await fresh()
    await approve(kit, row)
    const input = { proposal_id: row.proposal_id, review_digest: 'whatever' }
    const again = await proposalCommands.approve(kit.services, input, OWNER)
    expect(again).toMatchObject({ ok: true, value: { unchanged: true } })
    const other = await proposalCommands.approve(kit.services, input, { ...OWNER, identity: 'owner-2' })
    expect(codeOf(other)).toBe('INVALID_TRANSITION')
    const undone = await proposalCommands.undo(kit.services, input, OWNER)
    expect(undone).toMatchObject({
      value: { unchanged: false, proposal: { status: 'PENDING', decided_at: null } },
    })
    expect(await proposalCommands.undo(kit.services, input, OWNER)).toMatchObject({
      value: { unchanged: true },
    })
  })
})

describe('what was seen is what is approved', () => {
  const edit = (text: string) =>
    propose(kit, editOf('notes/Beds/North.md', { diff: { type: 'replace', text }, summary: text }))

  test('a missing or other digest: 409 with the new one, and nothing is recorded', async () => {
    const row = await fresh()
    const before = await eventsOf(kit, row.proposal_id)
    for (const review_digest of [undefined, '', 'a'.repeat(64)]) {
      const outcome = await proposalCommands.approve(
        kit.services,
        { proposal_id: row.proposal_id, review_digest },
        OWNER,
      )
      expect(outcome).toMatchObject({
        refusal: { code: 'STALE_REVIEW', details: { review_digest: await digestNow(kit, row) } },
      })
    }
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'PENDING', version: 1 })
    expect(await eventsOf(kit, row.proposal_id)).toEqual(before)
  })

  test('a target that changed: 409 TARGET_CHANGED; changed back, the review in between does not count', async () => {
    const original = (await kit.garden.read('Beds/North.md'))?.text ?? ''
    const row = await edit('# Replaced\n')
    const id = row.proposal_id
    const first = await digestNow(kit, row)
    await humanCommit(kit, 'Beds/North.md', 'By hand.\n')
    const between = await digestNow(kit, row)
    const outcome = await proposalCommands.approve(
      kit.services,
      { proposal_id: id, review_digest: first },
      OWNER,
    )
    expect(outcome).toMatchObject({
      refusal: { code: 'TARGET_CHANGED', details: { current_revision: await kit.garden.head() } },
    })
    await humanCommit(kit, 'Beds/North.md', original)
    expect(
      codeOf(
        await proposalCommands.approve(kit.services, { proposal_id: id, review_digest: between }, OWNER),
      ),
    ).toBe('STALE_REVIEW')
    expect(
      codeOf(await proposalCommands.approve(kit.services, { proposal_id: id, review_digest: first }, OWNER)),
    ).toBe('ok')
  })

  test('a decision that was made and taken back meanwhile: look again', async () => {
    const row = await fresh()
    const input = { proposal_id: row.proposal_id, review_digest: await digestNow(kit, row) }
    const garden = gardenWith(kit.garden, {
      head: async () => {
        const other = { ...OWNER, identity: 'owner-2' }
        await proposalCommands.approve(kit.services, input, other)
        await proposalCommands.undo(kit.services, input, other)
        return kit.garden.head()
      },
    })
    const outcome = await proposalCommands.approve({ ...kit.services, garden }, input, OWNER)
    expect(codeOf(outcome)).toBe('CONCURRENT_MODIFICATION')
    expect(await rowOf(kit, row.proposal_id)).toMatchObject({ status: 'PENDING', version: 3 })
  })

  test('an append over a changed file stays the same review', async () => {
    const row = await propose(
      kit,
      editOf('notes/Beds/South.md', { diff: { type: 'append', position: 'end', text: 'Basil.' } }),
    )
    const digest = await digestNow(kit, row)
    await humanCommit(kit, 'Beds/South.md', '# South bed\n\nMany tomatoes.\n')
    const input = { proposal_id: row.proposal_id, review_digest: digest }
    expect(await proposalCommands.approve(kit.services, input, OWNER)).toMatchObject({
      ok: true,
      value: { proposal: { freshness: { state: 'changed', mergeable: true } } },
    })
  })
})

describe('time', () => {
  test('the sweep expires what is overdue and says whether it was seen; approving an overdue one expires it', async () => {
    const [one, other] = [await fresh(), await fresh()]
    await kit.db.query(
      sql`UPDATE proposal SET seen_at = clock_timestamp() WHERE proposal_id = ${one.proposal_id}`,
    )
    await kit.db.query(sql`UPDATE proposal SET expires_at = clock_timestamp()
      WHERE proposal_id IN (${one.proposal_id}, ${other.proposal_id})`)
    const outcome = await proposalCommands.approve(
      kit.services,
      { proposal_id: other.proposal_id, review_digest: await digestNow(kit, other) },
      OWNER,
    )
    expect(outcome).toMatchObject({ refusal: { code: 'INVALID_TRANSITION', details: { from: 'EXPIRED' } } })
    expect(await expireProposals(kit.worker)).toBe(1)
    const { rows } = await kit.db.query(
      sql`SELECT details FROM event WHERE resource_id = ${one.proposal_id} AND transition = 'expire'`,
    )
    expect(rows).toMatchObject([{ details: { seen: true } }])
  })

  test('an undo leaves an hour; an extension at most thirty days', async () => {
    const row = await fresh()
    await approve(kit, row)
    await kit.db.query(
      sql`UPDATE proposal SET expires_at = clock_timestamp() WHERE proposal_id = ${row.proposal_id}`,
    )
    await proposalCommands.undo(kit.services, { proposal_id: row.proposal_id }, OWNER)
    const undone = await rowOf(kit, row.proposal_id)
    expect(undone.expires_at.getTime() - undone.updated_at.getTime()).toBeGreaterThan(3_590_000)
    const extend = (hours: number) =>
      proposalCommands.extend(kit.services, { proposal_id: row.proposal_id, hours, reason: NOTE }, OWNER)
    expect(codeOf(await extend(700))).toBe('ok')
    expect(codeOf(await extend(720))).toBe('LIMIT_EXCEEDED')
    expect((await rowOf(kit, row.proposal_id)).expires_at.getTime()).toBe(
      undone.expires_at.getTime() + 700 * 3_600_000,
    )
  })

  test('what was rejected thirty days ago is discarded', async () => {
    const id = await inState('REJECTED')
    expect(await discardOldRejections(kit.worker)).toBe(0)
    await kit.db.query(
      sql`UPDATE proposal SET decided_at = clock_timestamp() - interval '30 days' WHERE proposal_id = ${id}`,
    )
    expect(await discardOldRejections(kit.worker)).toBe(1)
    expect((await rowOf(kit, id)).status).toBe('DISCARDED')
  })
})

describe('guards', () => {
  test('a note of nine characters, with spaces around', async () => {
    const { proposal_id } = await fresh()
    const outcome = await proposalCommands.reject(
      kit.services,
      { proposal_id, decision_note: '  too short  ' },
      OWNER,
    )
    expect(codeOf(outcome)).toBe('VALIDATION_FAILED')
  })

  test.each([
    ['timeout', 'ok', 'ok'],
    ['diff_invalid', 'FORBIDDEN', 'ok'],
    ['conflict', 'TARGET_CHANGED', 'TARGET_CHANGED'],
  ])('retry after %s: operator %s, owner %s', async (code, operator, owner) => {
    const retry = async (caller: typeof OWNER) => {
      const id = await inState('FAILED')
      await kit.db.query(
        sql`UPDATE proposal SET error = jsonb_build_object('code', ${code}::text) WHERE proposal_id = ${id}`,
      )
      return codeOf(await proposalCommands.retry(kit.services, { proposal_id: id }, caller))
    }
    expect(await retry(OPERATOR)).toBe(operator)
    expect(await retry(OWNER)).toBe(owner)
  })

  test('force needs the password again', async () => {
    const input = { proposal_id: await inState('FAILED'), over_hash: 'absent', reason: NOTE }
    expect(codeOf(await proposalCommands.force(kit.services, input, OWNER, false))).toBe('STEP_UP_REQUIRED')
  })

  test('the content of a proposal never changes, whoever writes', async () => {
    const { proposal_id: id } = await fresh()
    await expect(
      kit.db.query(sql`UPDATE proposal SET summary = 'x' WHERE proposal_id = ${id}`),
    ).rejects.toThrow('never changes')
    await expect(
      kit.db.query(sql`UPDATE proposal SET status = 'APPLIED' WHERE proposal_id = ${id}`),
    ).rejects.toThrow('may not go')
  })
})

describe('walks', () => {
  const names = ['approve', 'reject', 'undo', 'retry', 'discard', 'extend', 'archive', 'unarchive'] as const
  test('any sequence of commands leaves what the table says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 8 }), async (walk) => {
        const { proposal_id: id } = await fresh()
        let state: ProposalState = 'PENDING'
        let last = ''
        for (const name of walk) {
          const code = await command(name, id)
          const edge = (proposalMachine.events as Record<string, { to: ProposalState }>)[name]
          const repeated = edge?.to === state && last === name
          expect(code, `${name} in ${state} after ${last}`).toBe(
            stateAllows(name, state) || repeated ? 'ok' : 'INVALID_TRANSITION',
          )
          if (edge && code === 'ok') {
            state = edge.to
            last = name
          }
          expect((await rowOf(kit, id)).status).toBe(state)
        }
      }),
      { numRuns: Number(process.env.WALK_RUNS ?? 25) },
    )
  })
})

test('an entry and an approval notify the other processes', async () => {
  const topics: Topic[] = []
  const db = openDatabase(kit.urls.webUrl, { connections: 2, notify: (topic) => topics.push(topic) })
  const services = { ...kit.services, db }
  const submitted = await submitEntry(services, noteOf(`New ${++count}.md`, 'x\n'), OWNER)
  expect(topics).toEqual(expect.arrayContaining(['events', 'inbox']))
  expect(topics).not.toContain('apply')
  const row = await rowOf(kit, (submitted.ok && submitted.value.resolution?.id) || '')
  const input = { proposal_id: row.proposal_id, review_digest: await digestNow(kit, row) }
  expect(codeOf(await approveProposal(services, input, OWNER))).toBe('ok')
  expect(topics).toContain('apply')
  await db.close()
})
