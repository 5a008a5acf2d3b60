import { describe, expect, test } from 'vitest'
import {
  type AlikeSubject,
  alikeKey,
  folderOf,
  groupAlike,
  type OutlierReason,
  sizeOf,
} from './alike.rules.ts'
import { decisionHolds } from './batch.rules.ts'
import { proposalMachine } from './proposal.machine.ts'

const change = { type: 'replace', additions: 1, deletions: 0 }
let count = 0
const aTag = (more: Partial<AlikeSubject> = {}): AlikeSubject => ({
  id: `p${++count}`,
  agent: 'librarian',
  source: 'agent:librarian',
  action: 'propose-tag',
  target: { type: 'note', path: 'notes/Beds/North.md' },
  changes: [change],
  citations: 1,
  tainted: false,
  ...more,
})
const four = () => Array.from({ length: 4 }, () => aTag())
const targetOf = (path: string) => ({ target: { type: 'note', path } })

describe('the key', () => {
  test.each<[string, Partial<AlikeSubject>, boolean]>([
    ['another file of the folder', targetOf('notes/Beds/South.md'), true],
    ['a file deeper in the folder', targetOf('notes/Beds/2026/South.md'), true],
    ['other numbers of the same size', { changes: [{ ...change, additions: 9, deletions: 1 }] }, true],
    ['the same kind twice', { changes: [change, change] }, true],
    ['another agent', { agent: 'gardener' }, false],
    ['no agent, another source', { agent: null, source: 'owner' }, false],
    ['another action', { action: 'propose-edit' }, false],
    ['another folder', targetOf('notes/Trees/Oak.md'), false],
    ['no folder', targetOf('notes/Oak.md'), false],
    ['another kind', { changes: [{ ...change, type: 'append' }] }, false],
    ['one more kind', { changes: [change, { ...change, type: 'create' }] }, false],
    ['another size', { changes: [{ ...change, additions: 11 }] }, false],
  ])('%s: alike %s', (_, more, alike) => {
    expect(alikeKey(aTag(more)) === alikeKey(aTag())).toBe(alike)
  })

  test.each([
    ['notes/Beds/North.md', 'notes/Beds'],
    ['notes/Грядки/2026/Північна.md', 'notes/Грядки'],
    ['notes/North.md', 'notes'],
    ['agents/gardener/_agent.md', 'agents/gardener'],
    ['artifacts/abc', 'artifacts'],
  ])('%s lies in %s', (path, folder) => expect(folderOf(path)).toBe(folder))

  test.each([
    [0, 'small'],
    [10, 'small'],
    [11, 'medium'],
    [100, 'medium'],
    [101, 'large'],
  ] as const)('%i lines are %s', (lines, size) => expect(sizeOf(lines)).toBe(size))
})

describe('outliers', () => {
  test.each<[OutlierReason, Partial<AlikeSubject>]>([
    ['tainted', { tainted: true }],
    ['deletes', { changes: [{ ...change, deletions: 1 }] }],
    ['other_target', { target: { type: 'tag', path: 'notes/Beds/North.md' } }],
    ['ungrounded', { citations: 0 }],
    ['much_larger', { changes: [{ ...change, additions: 6 }] }],
  ])('%s: first, and the only one', (reason, more) => {
    const odd = aTag(more)
    const [group] = groupAlike([...four(), odd])
    expect(group?.members.map(({ outlier }) => outlier)).toEqual([[reason], [], [], [], []])
    expect(group?.members[0]?.subject).toBe(odd)
  })

  test.each<[string, Partial<AlikeSubject>]>([
    ['none cites', { citations: 0 }],
    ['all remove', { changes: [{ ...change, deletions: 2 }] }],
    ['a little larger', {}],
  ])('%s: nobody is unlike the others', (name, more) => {
    const others = name === 'a little larger' ? [aTag({ changes: [{ ...change, additions: 5 }] })] : []
    const [group] = groupAlike([...Array.from({ length: 4 }, () => aTag(more)), ...others])
    expect(group?.members.flatMap(({ outlier }) => outlier)).toEqual([])
  })

  test('each that deletes a file, though all do', () => {
    const [group] = groupAlike(
      Array.from({ length: 3 }, () => aTag({ changes: [{ ...change, type: 'delete' }] })),
    )
    expect(group?.members.map(({ outlier }) => outlier)).toEqual([['deletes'], ['deletes'], ['deletes']])
  })
})

describe('groups', () => {
  test('two are none; the largest is first, and members keep their order', () => {
    const tree = () => aTag(targetOf('notes/Trees/Oak.md'))
    const subjects = [tree(), aTag(), tree(), aTag(), tree(), aTag(), aTag(), aTag({ agent: 'x' })]
    const groups = groupAlike(subjects)
    expect(groups.map(({ folder, members }) => [folder, members.length])).toEqual([
      ['notes/Beds', 4],
      ['notes/Trees', 3],
    ])
    expect(groups[1]?.members.map(({ subject }) => subject)).toEqual([subjects[0], subjects[2], subjects[4]])
    expect(groupAlike([aTag(), aTag()])).toEqual([])
  })
})

describe('a decision that holds already', () => {
  test.each(proposalMachine.states)('%s', (state) => {
    const same = (['APPROVED', 'REJECTED'] as const).filter((decision) => decisionHolds(decision, state))
    const expected: Partial<Record<typeof state, typeof same>> = {
      APPROVED: ['APPROVED'],
      AUTO_APPROVED: ['APPROVED'],
      APPLYING: ['APPROVED'],
      APPLIED: ['APPROVED'],
      REJECTED: ['REJECTED'],
      DISCARDED: ['REJECTED'],
    }
    expect(same).toEqual(expected[state] ?? [])
  })
})
