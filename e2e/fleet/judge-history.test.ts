import { expect, test } from 'vitest'
import { type FaultKind, judge, pushesOf } from './judge-history.ts'
import type { AcceptedWrite } from './recording-proxy.ts'

const lease = (upon: string | null | undefined, etag: string, body: object): AcceptedWrite => ({
  ...{ key: '/b/projects/p/leadership/lease.json', upon, etag, body: JSON.stringify(body), at: 0 },
})
const pointer = (upon: string | null, etag: string, body: object): AcceptedWrite => ({
  ...lease(upon, etag, body),
  key: '/b/projects/p/sqlite/manifest.json',
})
const first = lease(null, 'l1', { epoch: 1, term: 1, primary_node_id: 'a' })
const second = lease('l1', 'l2', { epoch: 2, term: 2, primary_node_id: 'b' })
const push = pointer(null, 'p1', { epoch: 1, term: 1, push_id: 'x' })
const fence = pointer('p1', 'p2', { epoch: 2, term: 2, push_id: 'x' })

test('a history of a selection and its fence has no fault, in whatever order it was heard', () => {
  expect(judge([fence, second, push, first])).toEqual([])
  expect(pushesOf([fence, push]).map(({ fields }) => fields.push_id)).toEqual(['x'])
})

test.each<[FaultKind, AcceptedWrite[]]>([
  ['write without a condition', [first, lease(undefined, 'l3', { epoch: 2, term: 1, primary_node_id: 'a' })]],
  [
    'two writes upon one version',
    [first, second, lease('l1', 'l3', { epoch: 2, term: 2, primary_node_id: 'c' })],
  ],
  ['epoch not raised', [first, lease('l1', 'l2', { epoch: 1, term: 1, primary_node_id: 'a' })]],
  ['term regression', [first, second, lease('l2', 'l3', { epoch: 3, term: 1, primary_node_id: 'a' })]],
  ['two holders of one term', [first, lease('l1', 'l2', { epoch: 2, term: 1, primary_node_id: 'b' })]],
  [
    'term raised without a new holder',
    [first, lease('l1', 'l2', { epoch: 2, term: 2, primary_node_id: 'a' })],
  ],
  ['stale push accepted', [push, fence, pointer('p2', 'p3', { epoch: 2, term: 1, push_id: 'y' })]],
  ['term regression', [push, fence, pointer('p2', 'p3', { epoch: 2, term: 1, push_id: 'x' })]],
])('%s is found', (kind, writes) => {
  expect(judge(writes).map((fault) => fault.kind)).toContain(kind)
})
