import { expect, test } from 'vitest'
import { compareContexts, comparedOutput, firstDifference, pairDrafts } from './compare.rules.ts'

test.each([
  [{ a: 1 }, { a: 1 }, null],
  [{ b: 2, a: 1 }, { a: 1, b: 2 }, null],
  [
    { b: 1, a: 1 },
    { b: 2, a: 2 },
    { path: 'a', a: 1, b: 2 },
  ],
  [{ list: [1, { x: 'y' }] }, { list: [1, { x: 'z' }] }, { path: 'list[1].x', a: 'y', b: 'z' }],
  [{ list: [1] }, { list: [1, 2] }, { path: 'list[1]', a: null, b: 2 }],
  [{ a: null }, {}, null],
  [{ a: [] }, { a: {} }, { path: 'a', a: [], b: {} }],
  [null, { a: 1 }, { path: '', a: null, b: { a: 1 } }],
])('%j and %j differ first at %j', (a, b, expected) => {
  expect(firstDifference(a, b)).toEqual(expected)
})

test('ids and times of an execution are no difference of its output', () => {
  const output = (ms: number, id: string) => ({
    summary: 'Done.',
    jobs: [id],
    artifacts: [`art-${id}`],
    tool_calls: [{ tool: 'search-notes', ms, ok: true, digest: id }],
    proposals: [{ target: 'notes/A.md' }],
  })
  expect(comparedOutput(2, output(1, 'x'))).toEqual(comparedOutput(2, output(90, 'y')))
  expect(
    comparedOutput(3, { created: [{ proposal_id: 'p1', target: 't', action: 'a', status: 'PENDING' }] }),
  ).toEqual({
    created: [{ action: 'a', target: 't' }],
    refused: [],
    reused: 0,
  })
  expect(comparedOutput(1, null)).toBeNull()
})

test('a context is compared entry by entry', () => {
  const a = {
    sources: [
      { path: 'A.md', sha256: '1', tokens: 5 },
      { path: 'B.md', sha256: '1', tokens: 5 },
    ],
    fragments: [{ path: 'C.md', lines: { from: 1, to: 3 }, tokens: 2 }],
    dropped: [],
  }
  const b = {
    sources: [
      { path: 'A.md', sha256: '1', tokens: 5 },
      { path: 'B.md', sha256: '2', tokens: 7 },
    ],
    fragments: [],
    dropped: [{ ref: 'C.md', tokens: 2 }],
  }
  expect(compareContexts(a, b).map((e) => [e.part, e.name, e.state])).toEqual([
    ['source', 'A.md', 'same'],
    ['source', 'B.md', 'changed'],
    ['fragment', 'C.md:1–3', 'left'],
    ['dropped', 'C.md', 'right'],
  ])
})

test('proposals are paired by content, then by target', () => {
  const draft = (target: string, digest: string) => ({ target, digest })
  const pairs = pairDrafts(
    [draft('x', '1'), draft('x', '2'), draft('y', '3')],
    [draft('x', '2'), draft('x', '9'), draft('z', '4')],
  )
  expect(pairs.map(({ state, a, b }) => [state, a?.digest, b?.digest])).toEqual([
    ['changed', '1', '9'],
    ['same', '2', '2'],
    ['left', '3', undefined],
    ['right', undefined, '4'],
  ])
})
