import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RebaseInput } from '#contracts/proposal-conflict.contract.ts'
import type { MergeDecision } from '#domain/proposal/merge.rules.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { rejectProposal } from '#server/proposals/decide-proposal.ts'
import { getConflict } from '#server/proposals/get-conflict.query.ts'
import { getProposal } from '#server/proposals/get-proposal.query.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { proposalCommands } from '#server/proposals/testing/commands.ts'
import {
  approve,
  digestNow,
  editOf,
  eventsOf,
  humanCommit,
  noteOf,
  OWNER,
  propose,
  rowOf,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { editProposal } from './edit-proposal.ts'
import { rebaseProposal } from './rebase-proposal.ts'

const BASE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'
const NAMES = Array.from({ length: 20 }, (_, i) => `Note ${i}.md`)

let kit: NewKit
let next = 0
beforeAll(async () => {
  kit = await newKit({ notes: Object.fromEntries(NAMES.map((name) => [name, BASE])) })
})
afterAll(() => kit.end())

/** A proposal on a note of its own, whose file somebody then leaves as `current`. */
async function conflicting(proposed: string, current: string | null) {
  const path = NAMES[next++] as string
  const old = await propose(kit, editOf(`notes/${path}`, { diff: { type: 'replace', text: proposed } }))
  await humanCommit(kit, path, current)
  return { path, old }
}
async function conflictOf(row: Pick<ProposalRow, 'proposal_id'>) {
  const view = await getConflict(kit.services, row.proposal_id)
  if (!view.ok) throw new Error(view.refusal.message)
  return view.value
}
type Files = RebaseInput['files']
async function rebase(old: Pick<ProposalRow, 'proposal_id'>, files: Files, current_hash?: string) {
  const hash = current_hash ?? (await conflictOf(old)).freshness.current_hash
  return rebaseProposal(kit.services, { proposal_id: old.proposal_id, current_hash: hash, files }, OWNER)
}
const codeOf = (outcome: Awaited<ReturnType<typeof rebaseProposal>>) =>
  outcome.ok ? 'ok' : outcome.refusal.code
async function childOf(outcome: ReturnType<typeof rebaseProposal>): Promise<ProposalRow> {
  const made = await outcome
  if (!made.ok) throw new Error(`${made.refusal.code}: ${made.refusal.message}`)
  return rowOf(kit, made.value.row.proposal_id)
}
const take = (...sides: ('current' | 'proposed' | 'both')[]): MergeDecision[] =>
  sides.map((side) => ({ take: side }))
const textAt = async (path: string) => (await kit.garden.read(path))?.text ?? null
const applied = async (row: ProposalRow) => {
  await approve(kit, row)
  await applyDue(kit.engine())
  return rowOf(kit, row.proposal_id)
}
const TEN = (first = 'a', ninth = 'i', last = 'j') => `${[first, ...'bcdefgh', ninth, last].join('\n')}\n`
const TWO = BASE.replace('one', 'ONE').replace('four', 'FOUR')
const OTHER_TWO = BASE.replace('one', '1').replace('four', '4').replace('seven', '7')

describe('a conflict', () => {
  test('shows base, current and proposed with their merge, and the hash that it was made with', async () => {
    const { path, old } = await conflicting(TWO, OTHER_TWO)
    const { freshness, files, predicted } = await conflictOf(old)
    expect(freshness).toMatchObject({ state: 'changed', mergeable: false })
    expect(predicted).toBeNull()
    expect(files).toEqual([
      {
        path,
        state: 'changed',
        current_hash: freshness.current_hash,
        base: BASE,
        current: OTHER_TWO,
        proposed: TWO,
        merge: {
          clean: false,
          parts: [
            { kind: 'overlap', base: 'one\n', current: '1\n', proposed: 'ONE\n' },
            { kind: 'merged', text: 'two\nthree\n' },
            { kind: 'overlap', base: 'four\n', current: '4\n', proposed: 'FOUR\n' },
            { kind: 'merged', text: 'five\nsix\n7\n' },
          ],
        },
      },
    ])
  })

  test('is rebased by a decision for every overlap, and nothing is committed before the child is approved', async () => {
    const { path, old } = await conflicting(TWO, OTHER_TWO)
    for (const decisions of [[], take('both'), take('both', 'both', 'both')])
      expect(codeOf(await rebase(old, [{ path, decisions }]))).toBe('VALIDATION_FAILED')
    expect((await rowOf(kit, old.proposal_id)).version).toBe(old.version)
    const own: MergeDecision = { take: 'text', text: 'vier' }
    const child = await childOf(rebase(old, [{ path, decisions: [...take('both'), own] }]))
    expect(child).toMatchObject({
      status: 'PENDING',
      base_revision: await kit.garden.head(),
      relations: { rebased_from: old.proposal_id },
    })
    expect(await rowOf(kit, old.proposal_id)).toMatchObject({
      status: 'DISCARDED',
      decision_note: `superseded by ${child.proposal_id}`,
      relations: { superseded_by: child.proposal_id },
    })
    expect(await textAt(path)).toBe(OTHER_TWO)
    expect(await applied(child)).toMatchObject({ status: 'APPLIED', rebased: false })
    expect(await textAt(path)).toBe(OTHER_TWO.replace('1\n', '1\nONE\n').replace('4', 'vier'))
  })

  test('is rebased by a clean merge without a decision', async () => {
    const { path, old } = await conflicting(BASE.replace('one', 'ONE'), BASE.replace('seven', '7'))
    const merged = BASE.replace('one', 'ONE').replace('seven', '7')
    expect((await conflictOf(old)).files[0]?.merge).toEqual({ clean: true, text: merged })
    const child = await childOf(rebase(old, []))
    expect(child.changes[0]?.unified).toContain('+ONE')
    expect(child.changes[0]?.unified).not.toContain('+7')
    await applied(child)
    expect(await textAt(path)).toBe(merged)
  })

  test('or by the whole text that a file is to have', async () => {
    const { path, old } = await conflicting(TWO, OTHER_TWO)
    await applied(await childOf(rebase(old, [{ path, text: 'all new\n' }])))
    expect(await textAt(path)).toBe('all new\n')
    expect(codeOf(await rebase(old, [{ path: 'Other.md', text: 'x\n' }]))).toBe('INVALID_TRANSITION')
  })

  test('that has moved again is refused with the new hash, and nothing is recorded', async () => {
    const { path, old } = await conflicting(TWO, OTHER_TWO)
    const { freshness } = await conflictOf(old)
    await humanCommit(kit, path, `${OTHER_TWO}eight\n`)
    const [before, now] = [await eventsOf(kit, old.proposal_id), await conflictOf(old)]
    const outdated = await rebase(old, [{ path, decisions: take('both', 'both') }], freshness.current_hash)
    expect(outdated).toMatchObject({
      refusal: { code: 'TARGET_CHANGED', details: { current_hash: now.freshness.current_hash } },
    })
    expect(await eventsOf(kit, old.proposal_id)).toEqual(before)
    expect(await rowOf(kit, old.proposal_id)).toEqual(old)
  })

  test('that failed to apply is rebased too', async () => {
    const { path, old } = await conflicting(TWO, BASE)
    await approve(kit, old)
    await humanCommit(kit, path, OTHER_TWO)
    await applyDue(kit.engine())
    expect(await rowOf(kit, old.proposal_id)).toMatchObject({ status: 'FAILED', error: { code: 'conflict' } })
    const child = await childOf(rebase(old, [{ path, decisions: take('current', 'proposed') }]))
    await applied(child)
    expect(await textAt(path)).toBe(OTHER_TWO.replace('4', 'FOUR'))
  })
})

describe('a file that is gone, or has come', () => {
  test('deleted since: it stays deleted, or comes back', async () => {
    const { path, old } = await conflicting(TWO, null)
    expect(await conflictOf(old)).toMatchObject({
      freshness: { state: 'missing' },
      files: [
        { current: null, merge: { clean: false, parts: [{ base: BASE, current: '', proposed: TWO }] } },
      ],
    })
    expect(codeOf(await rebase(old, []))).toBe('VALIDATION_FAILED')
    expect(codeOf(await rebase(old, [{ path, decisions: take('current') }]))).toBe('DIFF_INVALID')
    await applied(await childOf(rebase(old, [{ path, decisions: take('proposed') }])))
    expect(await textAt(path)).toBe(TWO)
  })

  test('created since: the two meet as one overlap', async () => {
    const path = 'Came since.md'
    const old = await propose(kit, noteOf(path, 'mine\n'))
    await humanCommit(kit, path, 'theirs\n')
    expect(await conflictOf(old)).toMatchObject({ freshness: { state: 'exists' }, files: [{ base: null }] })
    await applied(await childOf(rebase(old, [{ path, decisions: take('both') }])))
    expect(await textAt(path)).toBe('theirs\nmine\n')
  })

  test('edited, while its removal was proposed', async () => {
    const path = NAMES[next++] as string
    const old = await propose(kit, editOf(`notes/${path}`, { diff: { type: 'delete' } }))
    await humanCommit(kit, path, OTHER_TWO)
    expect((await conflictOf(old)).files).toMatchObject([{ proposed: null, current: OTHER_TWO }])
    await applied(await childOf(rebase(old, [{ path, decisions: take('proposed') }])))
    expect(await textAt(path)).toBeNull()
  })
})

test.each([
  ['before', false],
  ['after', true],
])(
  'what an edited approval left out is merged on top of the edited text, %s that is applied',
  async (_, isApplied) => {
    const path = NAMES[next++] as string
    await humanCommit(kit, path, TEN())
    const rest = await remainderOf(path)
    if (isApplied) {
      await applyDue(kit.engine())
      await humanCommit(kit, path, TEN('one', '9', 'end'))
    }
    expect((await conflictOf(rest)).files).toMatchObject([
      { base: TEN('1'), proposed: TEN('1', '9'), current: isApplied ? TEN('one', '9', 'end') : TEN() },
    ])
    const shown = await getProposal(kit.services, rest.proposal_id, 'owner')
    expect(shown.ok && shown.value.changes).toMatchObject([
      { base_text: TEN('1'), proposed_text: TEN('1', '9') },
    ])
  },
)

describe('of several who decide', () => {
  test('the same rebase again is its child, and another one is refused', async () => {
    const { path, old } = await conflicting(TWO, OTHER_TWO)
    const { current_hash } = (await conflictOf(old)).freshness
    const ask = (...decisions: MergeDecision[]) => rebase(old, [{ path, decisions }], current_hash)
    const answers = await Promise.all([1, 2, 3].map(() => ask(...take('both', 'both'))))
    const children = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
    expect(children).toHaveLength(3)
    expect(new Set(children.map(({ row }) => row.proposal_id)).size).toBe(1)
    expect(children.filter(({ unchanged }) => !unchanged)).toHaveLength(1)
    expect(codeOf(await ask(...take('current', 'proposed')))).toBe('INVALID_TRANSITION')
  })

  test('a rejection and two different rebases have one winner', async () => {
    const { path, old } = await conflicting(TWO, OTHER_TWO)
    const { current_hash } = (await conflictOf(old)).freshness
    const reject = { proposal_id: old.proposal_id, decision_note: 'not what we need' }
    const outcomes = await Promise.all([
      rebase(old, [{ path, decisions: take('both', 'current') }], current_hash),
      rejectProposal(kit.services, reject, OWNER),
      rebase(old, [{ path, decisions: take('both', 'both') }], current_hash),
    ])
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await rowOf(kit, old.proposal_id)).status).toMatch(/REJECTED|DISCARDED/)
  })

  test('a proposal in conflict offers the rebase, and one without none', async () => {
    const { old } = await conflicting(TWO, OTHER_TWO)
    const commands = async (id: string) => {
      const { proposal } = (await extend(id)) as { proposal: { commands: string[] } }
      return proposal.commands
    }
    expect(await commands(old.proposal_id)).toEqual(expect.arrayContaining(['rebase', 'reject']))
    const { proposal_id } = await propose(kit, noteOf('No conflict.md', 'x\n'))
    expect(await commands(proposal_id)).not.toContain('rebase')
  })
})

/** Any command that answers with the item. */
async function extend(proposal_id: string): Promise<unknown> {
  const input = { proposal_id, hours: 100, reason: 'needs another look' }
  const answer = await proposalCommands.extend(kit.services, input, OWNER)
  return answer.ok ? answer.value : answer.refusal
}

describe('what is approved and still held', () => {
  test('is the predicted conflict of another proposal of the same target', async () => {
    const path = NAMES[next++] as string
    const edit = (text: string) => propose(kit, editOf(`notes/${path}`, { diff: { type: 'replace', text } }))
    const [first, far, overlapping] = [
      await edit(BASE.replace('one', 'ONE')),
      await edit(BASE.replace('seven', '7')),
      await edit(BASE.replace('one', '1')),
    ]
    expect((await conflictOf(far)).predicted).toBeNull()
    await approve(kit, first)
    const by = { proposal_id: first.proposal_id, summary: first.summary }
    expect((await conflictOf(far)).predicted).toMatchObject({ ...by, clean: true, overlaps: 0 })
    expect((await conflictOf(overlapping)).predicted).toMatchObject({ ...by, clean: false, overlaps: 1 })
    await applyDue(kit.engine())
    expect(await conflictOf(overlapping)).toMatchObject({ predicted: null, files: [{ state: 'changed' }] })
  })
})

/** What is left of a change of two places of `TEN` once the first of them is approved. */
async function remainderOf(path: string): Promise<ProposalRow> {
  const row = await propose(kit, editOf(`notes/${path}`, { diff: { type: 'replace', text: TEN('1', '9') } }))
  const review_digest = await digestNow(kit, row)
  const input = { proposal_id: row.proposal_id, review_digest, remainder: 'propose' as const }
  const edited = await editProposal(kit.services, { ...input, changes: [{ path, hunks: [1] }] }, OWNER)
  if (!edited.ok || !edited.value.remainder) throw new Error('no remainder')
  return edited.value.remainder
}
