import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { TRAVERSAL_VECTORS } from '#domain/garden/traversal-vectors.ts'
import { parseFault, parseFaultInTime } from '#server/garden/read-note.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import {
  AGENT,
  editOf,
  eventsOf,
  NOTES,
  noteOf,
  OPERATOR,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { rejectProposal } from '../proposals/decide-proposal.ts'
import { expireEntries } from './entry-transitions.ts'
import { resolvePending } from './resolve-pending.ts'
import { submitEntry } from './submit-entry.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

const entries = async () =>
  (
    await kit.db.query<{ n: number }>(
      sql`SELECT (SELECT count(*) FROM inbox_entry) + (SELECT count(*) FROM proposal) AS n`,
    )
  ).rows[0]?.n
const submit = (input: SubmitEntryInput, caller = OWNER) => submitEntry(kit.services, input, caller)
const append = (text: string) => ({ diff: { type: 'append', position: 'end', text } })

describe('what an entry becomes', () => {
  test('an edit: one entry, one proposal with its base, both recorded in the same transaction', async () => {
    const row = await propose(kit, editOf('notes/Beds/North.md', append('Mulched.')))
    expect(row).toMatchObject({
      status: 'PENDING',
      action: 'propose-edit',
      target_type: 'note',
      target_path: 'notes/Beds/North.md',
      target_key: 'garden:notes/Beds/North.md',
      base_revision: await kit.garden.head(),
      source_identity: 'owner',
      changes: [{ path: 'Beds/North.md', type: 'append', additions: 1, deletions: 0 }],
    })
    expect(row.target_hash).toBe(row.changes[0]?.base_hash)
    expect((await eventsOf(kit, row.inbox_entry_id)).map((e) => e.name)).toEqual([
      'inbox.received',
      'inbox.processed',
    ])
    expect((await eventsOf(kit, row.proposal_id)).map((e) => e.name)).toEqual(['proposal.created'])
  })

  test('a new note, a comment, a summary, tags', async () => {
    expect((await propose(kit, noteOf('Beds/East.md', '# East\n'))).changes[0]).toMatchObject({
      path: 'Beds/East.md',
      base_hash: 'absent',
    })
    const comment = await propose(kit, {
      intent: {
        action: 'propose-note',
        target: 'notes/Beds/North.md',
        payload: { text: 'Nice.', summary: 'A comment' },
      },
    })
    expect(comment.changes[0]?.path).toBe(`_bloom/comments/Beds/North.md/${comment.proposal_id}.md`)
    const summary = await propose(kit, {
      intent: {
        action: 'propose-summary',
        target: 'notes/Beds/North.md',
        payload: { text: 'Leeks.', summary: 'A summary' },
      },
    })
    expect(summary.changes[0]).toMatchObject({
      path: '_bloom/summaries/Beds/North.md',
      text: '---\nsummary_of: "Beds/North.md"\n---\nLeeks.',
    })
    const tags = await propose(kit, {
      intent: {
        action: 'propose-tag',
        target: 'notes/Beds/South.md',
        payload: { add: ['sunny'], remove: ['bed'] },
      },
    })
    expect(tags.changes[0]?.unified).toContain('+tags: [ sunny ]')
  })

  test('a run, in the transaction of its entry; what the room refuses rejects the entry', async () => {
    const startRun = async () => ({ ok: true as const, value: { runId: 'run_2026-11-21_120000_abc123' } })
    const input: SubmitEntryInput = {
      intent: {
        action: 'propose-artifact',
        target: 'agents/gardener',
        payload: { params: { question: '?' } },
      },
    }
    const answer = await submitEntry(
      { ...kit.services, entryHandlers: { ...kit.entryHandlers, startRun } },
      input,
      OWNER,
    )
    expect(answer).toMatchObject({ value: { resolution: { kind: 'run' }, status: 'processed' } })
    expect(await submit(input)).toMatchObject({ refusal: { code: 'AGENT_NOT_ACTIVE' } })
  })
})

const DEEP = `${'>'.repeat(1_000)}\n`
/** Takes the square of its lines. An admission waits for its parse no longer than it may, so that is over before. */
const SLOW = '> a\nb\n'.repeat(6_600)

describe('the admission checks refuse', () => {
  const cases: [string, SubmitEntryInput, string][] = [
    ['an edit of what is not there', editOf('notes/Beds/West.md', append('x')), 'TARGET_NOT_FOUND'],
    ['a new note where one is', noteOf('Beds/North.md', 'x\n'), 'TARGET_EXISTS'],
    [
      'a diff that does not apply',
      editOf('notes/Beds/North.md', {
        diff: { type: 'replace', unified: '--- a\n+++ b\n@@ -1 +1 @@\n-nothing\n+x\n' },
      }),
      'DIFF_INVALID',
    ],
    [
      'a change that changes nothing',
      editOf('notes/Beds/North.md', { diff: { type: 'replace', text: NOTES['Beds/North.md'] ?? '' } }),
      'DIFF_INVALID',
    ],
    [
      'an edit of an older text',
      editOf('notes/Beds/North.md', { ...append('x'), base_hash: 'a'.repeat(64) }),
      'TARGET_CHANGED',
    ],
    [
      'a frontmatter that does not parse',
      editOf('notes/Beds/North.md', { diff: { type: 'replace', text: '---\na: [\n---\nx\n' } }),
      'VALIDATION_FAILED',
    ],
    ...['note', 'comment'].map((kind): [string, SubmitEntryInput, string] => [
      `a ${kind} that passes a budget of the parser`,
      {
        intent: {
          action: 'propose-note',
          target: kind === 'note' ? 'notes/Beds/Deep.md' : 'notes/Beds/North.md',
          payload: { kind, text: DEEP, summary: 'x' },
        },
      },
      'LIMIT_EXCEEDED',
    ]),
    [
      'a summary that does',
      {
        intent: {
          action: 'propose-summary',
          target: 'notes/Beds/North.md',
          payload: { text: DEEP, summary: 'x' },
        },
      },
      'LIMIT_EXCEEDED',
    ],
    ['an edit that does', editOf('notes/Beds/North.md', append(DEEP)), 'LIMIT_EXCEEDED'],
    [
      'an edit that took the parser too long, which no measure foresees',
      editOf('notes/Beds/North.md', { diff: { type: 'replace', text: SLOW } }),
      'LIMIT_EXCEEDED',
    ],
    [
      'a change outside the space of its target',
      editOf('notes/Beds/North.md', {
        changes: [
          { path: 'Beds/North.md', ...append('x') },
          { path: 'agents/gardener/_agent.md', ...append('x') },
        ],
      }),
      'PATH_NOT_ALLOWED',
    ],
    [
      'a comment on nothing',
      {
        intent: {
          action: 'propose-comment',
          target: 'notes/Nowhere.md',
          payload: { text: 'x', summary: 'x' },
        },
      },
      'TARGET_NOT_FOUND',
    ],
  ]
  beforeAll(async () => {
    // Known, and not only given up because the machine had no time for it.
    const known = async () => {
      await parseFault(SLOW)
      expect(await parseFaultInTime(SLOW, 0)).toMatchObject({ budget: 'time' })
    }
    await vi.waitFor(known, { timeout: 120_000 })
  })
  test.each(cases)('%s, and leaves a rejected entry and nothing else', async (_, input, code) => {
    const { rows: before } = await kit.db.query(sql`SELECT 1 FROM proposal`)
    const answer = await submit(input)
    expect(answer).toMatchObject({ ok: false, refusal: { code } })
    const { rows } = await kit.db.query<{ status: string; reason_code: string }>(
      sql`SELECT status, reason_code FROM inbox_entry ORDER BY received_at DESC, inbox_id LIMIT 1`,
    )
    expect(rows[0]).toEqual({ status: 'rejected', reason_code: code })
    expect((await kit.db.query(sql`SELECT 1 FROM proposal`)).rows).toHaveLength(before.length)
  })

  test('what is malformed, with an audit event alone', async () => {
    const before = await entries()
    for (const input of [
      {},
      { intent: { action: 'propose-edit', target: 'notes/a.md', payload: { summary: 'x' } } },
      { intent: { action: 'memory-update', target: 'memory/gardener', payload: {} } },
      {
        intent: {
          action: 'propose-edit',
          target: 'notes/a.md',
          payload: { ...append('a\0b'), summary: 'x' },
        },
      },
      { ...editOf('notes/Beds/North.md', append('x')), source: { role: 'owner' } },
    ])
      expect(await submit(input as SubmitEntryInput)).toMatchObject({
        refusal: { code: 'VALIDATION_FAILED' },
      })
    expect(await entries()).toBe(before)
  })

  test('everybody but the owner and agents', async () => {
    const before = await entries()
    expect(await submit(editOf('notes/Beds/North.md', append('x')), OPERATOR)).toMatchObject({
      refusal: { code: 'FORBIDDEN' },
    })
    expect(await entries()).toBe(before)
  })

  test('every path that leads out of the garden', async () => {
    const before = (await kit.db.query(sql`SELECT 1 FROM proposal`)).rows.length
    for (const path of TRAVERSAL_VECTORS.slice(0, 120)) {
      const answer = await submit(noteOf(path, 'x\n'))
      expect(answer.ok, JSON.stringify(path)).toBe(false)
    }
    expect((await kit.db.query(sql`SELECT 1 FROM proposal`)).rows).toHaveLength(before)
    for (const path of ['agents/x/_agent.md', '_bloom/x.md', 'AGENTS/x.md'])
      expect(await submit(noteOf(path, 'x\n'))).toMatchObject({ refusal: { code: 'PATH_NOT_ALLOWED' } })
  })
})

describe('repeats', () => {
  test('the same correlation id: the first entry again; another body: 409', async () => {
    const input = { ...noteOf('Beds/Repeat.md', 'x\n'), metadata: { correlation_id: 'r-1' } }
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(input)))
    const ids = answers.map((a) => a.ok && a.value.inbox_id)
    expect(new Set(ids).size).toBe(1)
    expect(answers.filter((a) => a.ok && !a.value.repeated)).toHaveLength(1)
    const other = { ...noteOf('Beds/Repeat.md', 'y\n'), metadata: { correlation_id: 'r-1' } }
    expect(await submit(other)).toMatchObject({ refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
    const { rows } = await kit.db.query(
      sql`SELECT 1 FROM proposal WHERE target_path = 'notes/Beds/Repeat.md'`,
    )
    expect(rows).toHaveLength(1)
  })

  test('identical content that waits: 409 with its id, and the repeat is counted', async () => {
    const row = await propose(kit, noteOf('Beds/Twice.md', 'x\n'))
    const answers = await Promise.all([1, 2, 3].map(() => submit(noteOf('Beds/Twice.md', 'x\n'))))
    for (const answer of answers)
      expect(answer).toMatchObject({
        refusal: { code: 'DUPLICATE_ENTRY', details: { proposal_id: row.proposal_id } },
      })
    expect((await rowOf(kit, row.proposal_id)).seen_again).toBe(3)
  })

  test('an agent may not repeat what was rejected; the same step replayed finds its proposal', async () => {
    const origin = {
      safeOutputs: ['propose-note'],
      proposalId: 'prop_2026-11-21_aaaaaaaaaaaa',
      inboxId: 'inbox_2026-11-21_aaaaaaaaaaaa',
    }
    const input = { ...noteOf('Beds/Agent.md', 'x\n'), metadata: { correlation_id: 'run:0' } }
    const first = await submitEntry(kit.services, input, AGENT, origin)
    const again = await submitEntry(kit.services, input, AGENT, origin)
    expect(again).toMatchObject({ value: { repeated: true, resolution: { id: origin.proposalId } } })
    expect(first).toMatchObject({ value: { repeated: false, inbox_id: origin.inboxId } })
    const reject = { proposal_id: origin.proposalId, decision_note: 'not needed at all' }
    await rejectProposal(kit.services, reject, OWNER)
    const other = { ...input, metadata: { correlation_id: 'run:1' } }
    expect(await submitEntry(kit.services, other, AGENT, { safeOutputs: ['propose-note'] })).toMatchObject({
      refusal: { code: 'DUPLICATE_OF_REJECTED' },
    })
    expect(await submitEntry(kit.services, other, AGENT, { safeOutputs: [] })).toMatchObject({
      ok: true,
      value: { repeated: true, status: 'rejected' },
    })
    const third = { ...input, metadata: { correlation_id: 'run:2' } }
    expect(await submitEntry(kit.services, third, AGENT, { safeOutputs: [] })).toMatchObject({
      refusal: { code: 'SAFE_OUTPUT_VIOLATION' },
    })
  })
})

describe('the rate of an agent', () => {
  const given = { safeOutputs: ['propose-note'] }
  const busy: Caller = { role: 'agent', identity: 'agent:busy', via: 'system' }
  const nth = (n: number) => ({
    ...noteOf(`Beds/Busy ${n}.md`, `${n}\n`),
    metadata: { correlation_id: `busy:${n}` },
  })

  test('is twenty entries a minute; the next leaves an event and no entry, a repeat is not counted', async () => {
    for (let n = 0; n < 20; n++)
      expect(await submitEntry(kit.services, nth(n), busy, given)).toMatchObject({ ok: true })
    const before = await entries()
    expect(await submitEntry(kit.services, nth(20), busy, given)).toMatchObject({
      refusal: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) },
    })
    expect(await entries()).toBe(before)
    const { rows } = await kit.db.query(
      sql`SELECT error_code, outcome FROM event WHERE actor = 'agent:busy' AND name = 'access.refused'`,
    )
    expect(rows).toEqual([{ error_code: 'RATE_LIMITED', outcome: 'refused' }])
    expect(await submitEntry(kit.services, nth(3), busy, given)).toMatchObject({ value: { repeated: true } })
    const other: Caller = { ...busy, identity: 'agent:other' }
    expect(await submitEntry(kit.services, nth(21), other, given)).toMatchObject({ ok: true })
    await kit.db.query(sql`UPDATE rate_slice SET slice = slice - interval '61 seconds'`)
    for (const n of [20, 3, 22])
      expect(await submitEntry(kit.services, nth(n), busy, given)).toMatchObject({ ok: true })
  })
})

describe('a garden that does not answer', () => {
  const broken = () => ({
    ...kit.services,
    garden: {
      ...kit.garden,
      head: async () => {
        throw new StorageUnavailable('gone')
      },
    },
  })

  test('keeps the entry of a person, which is resolved later; an agent gets an error', async () => {
    const answer = await submitEntry(broken(), noteOf('Beds/Later.md', 'x\n'), OWNER)
    expect(answer).toMatchObject({ value: { status: 'pending', resolution: null } })
    await expect(
      submitEntry(broken(), noteOf('Beds/Later2.md', 'x\n'), AGENT, { safeOutputs: ['propose-note'] }),
    ).rejects.toThrow('gone')
    expect(await resolvePending(kit.worker)).toBe(1)
    expect(await resolvePending(kit.worker)).toBe(0)
    const { rows } = await kit.db.query<{ status: string }>(
      sql`SELECT status FROM inbox_entry WHERE target = 'notes/Beds/Later.md'`,
    )
    expect(rows[0]?.status).toBe('processed')
  })

  test('until its hours are over', async () => {
    await submitEntry(broken(), noteOf('Beds/Never.md', 'x\n'), OWNER)
    expect(await expireEntries(kit.services)).toBe(0)
    await kit.db.query(
      sql`UPDATE inbox_entry SET expires_at = clock_timestamp() WHERE target = 'notes/Beds/Never.md'`,
    )
    expect(await resolvePending(kit.worker)).toBe(0)
    expect(await expireEntries(kit.services)).toBe(1)
    expect(await resolvePending(kit.worker)).toBe(0)
  })
})
