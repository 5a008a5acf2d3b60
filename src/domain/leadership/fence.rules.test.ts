import { describe, expect, test } from 'vitest'
import { fenceText, needsFence, passesFence, pushVerdict } from './fence.rules.ts'
import { highestKnown, termOf } from './known-terms.rules.ts'
import type { Lease } from './lease-object.ts'
import { type PointerLook, pointerOf } from './pointer-object.ts'

type Readable = Exclude<PointerLook, { state: 'unreadable' }>
const ABSENT: Readable = { state: 'absent', etag: null, storeNow: 0 }
const present = (fields: object, etag = '"now"'): Readable => ({
  state: 'present',
  etag,
  storeNow: 0,
  pointer: pointerOf(fields as never),
})

describe('the fence', () => {
  test.each<[string, Readable, number, boolean, boolean]>([
    ['a first term, no pointer', ABSENT, 1, false, true],
    ['a later term, no pointer', ABSENT, 2, true, true],
    ['a pointer of today', present({ sha256: 'a' }), 2, true, true],
    ['a lower term', present({ term: 2 }), 3, true, true],
    ['the same term', present({ term: 3 }), 3, false, true],
    ['a higher term', present({ term: 4 }), 3, false, false],
  ])('%s', (_, look, term, needs, passes) => {
    expect(needsFence(look, term)).toBe(needs)
    expect(passesFence(look, term)).toBe(passes)
  })

  test('changes epoch and term and nothing else', () => {
    const content = {
      project: 'p',
      sha256: 'a',
      push_id: 'x',
      tables: ['t'],
      colour: 'green',
      epoch: 9,
      term: 1,
    }
    expect(JSON.parse(fenceText(present(content), { canonicalId: 'cid', epoch: 5, term: 2 }))).toEqual({
      ...content,
      epoch: 9,
      term: 2,
    })
  })

  test('where no pointer is, is a stub that names no data', () => {
    expect(JSON.parse(fenceText(ABSENT, { canonicalId: 'cid', epoch: 5, term: 2 }))).toEqual({
      canonical_id: 'cid',
      sha256: null,
      epoch: 5,
      term: 2,
    })
  })
})

describe('whether a push took effect', () => {
  const recent = (...ids: string[]) => ids.map((push_id) => ({ push_id, sha256: 's', term: 1 }))
  const push = { pushId: 'mine', basePushId: 'base', baseEtag: '"base"' }
  const first = { pushId: 'mine', basePushId: null, baseEtag: null }
  const full = recent(...Array.from({ length: 20 }, (_, n) => `other-${n}`))

  test.each<
    [string, Readable, typeof push | (Omit<typeof first, 'baseEtag'> & { baseEtag: string | null }), string]
  >([
    ['nobody has written', present({ push_id: 'base' }, '"base"'), push, 'open'],
    ['it is the last', present({ push_id: 'mine' }), push, 'applied'],
    ['others came upon it', present({ push_id: 'x', recent: recent('x', 'mine', 'base') }), push, 'applied'],
    ['only fenced since', present({ push_id: 'base', term: 9 }), push, 'not_applied'],
    [
      'others came upon the base',
      present({ push_id: 'x', recent: recent('x', 'base') }),
      push,
      'not_applied',
    ],
    ['too many came to tell', present({ push_id: 'other-0', recent: full }), push, 'open'],
    ['a node of today cut the list', present({ sha256: 'a' }), push, 'open'],
    ['still no pointer', ABSENT, first, 'open'],
    ['the pointer is gone', ABSENT, push, 'open'],
    ['a first push of another', present({ push_id: 'x', recent: recent('x') }), first, 'not_applied'],
    ['a node of today wrote over the first', present({ sha256: 'a' }), first, 'open'],
    ['the same, fenced since', present({ sha256: 'a', term: 4 }), { ...first, baseEtag: '"t"' }, 'open'],
    ['a stub since', present({ sha256: null, term: 2 }), first, 'not_applied'],
    [
      'more than the list holds since the first',
      present({ push_id: 'other-0', recent: full }),
      first,
      'open',
    ],
  ])('%s', (_, look, given, expected) => {
    expect(pushVerdict(look, given)).toBe(expected)
  })
})

describe('what is known of terms', () => {
  test('is the highest of all, and its holder when nobody contradicts', () => {
    const known = highestKnown(
      { epoch: 9, term: 2, holder: 'alder' },
      { epoch: 4, term: 5, holder: null },
      { epoch: 1, term: 5, holder: 'birch' },
    )
    expect(known).toEqual({ epoch: 9, term: 5, holder: 'birch' })
    expect(highestKnown(known, { epoch: 0, term: 5, holder: 'alder' }).holder).toBeNull()
    expect(highestKnown()).toEqual({ epoch: 0, term: 0, holder: null })
  })

  test('gives a lease without a term the known one only if its holder is certainly the same', () => {
    const lease = { primary_node_id: 'alder', term: null } as Lease
    expect(termOf(lease, { epoch: 0, term: 5, holder: 'alder' })).toBe(5)
    expect(termOf(lease, { epoch: 0, term: 5, holder: 'birch' })).toBe(6)
    expect(termOf(lease, { epoch: 0, term: 5, holder: null })).toBe(6)
    expect(termOf({ ...lease, term: 2 }, { epoch: 0, term: 5, holder: 'alder' })).toBe(2)
  })
})
