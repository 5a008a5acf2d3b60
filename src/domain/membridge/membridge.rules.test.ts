import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCount, readReportedTime } from './heartbeat.rules.ts'
import { canonicalIdOf, isCanonicalId, isName, isNodeId, nodeIdInKey } from './identity.rules.ts'
import { agentStatus, isOnline } from './liveness.rules.ts'
import {
  endOf,
  firstWords,
  lastLines,
  OUTPUT_LINES,
  OUTPUT_MAX,
  outputTail,
  SEARCHED_MAX,
} from './sync.rules.ts'

const sha256Hex = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('the canonical id of a project', () => {
  it.each([
    ['garden-seedling', 'aeeafec3a5b5710f'],
    ['mem', '6fe2e0f6071ac2bb'],
    ['сад', sha256Hex('сад').slice(0, 16)],
  ])('%s: %s', (name, id) => expect(canonicalIdOf(name, sha256Hex)).toBe(id))

  it.each([
    ['aeeafec3a5b5710f', true],
    ['My.Project_2-b', true],
    ['.hidden', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['.', false],
    ['..', false],
    ['...', false],
    ['a/b', false],
    ['a\n', false],
    ['сад', false],
  ])('%s may be one: %s', (text, admitted) => expect(isCanonicalId(text)).toBe(admitted))

  it('is one, whatever the name', () => {
    fc.assert(fc.property(fc.string(), (name) => isCanonicalId(canonicalIdOf(name, sha256Hex))))
  })
})

describe('names', () => {
  it.each([
    ['rpi4b', true, true],
    ['orange-pi.lan:8001', true, true],
    ['rack/3', true, true],
    ['Садок 1', true, true],
    ['a'.repeat(128), true, true],
    ['a'.repeat(129), false, false],
    ['', false, false],
    [' rpi4b', false, false],
    ['a..b', true, false],
    ['.', true, false],
    ['../etc', true, false],
    ['a\0b', false, false],
    ['a\nb', false, false],
    ['a\u2028b', false, false],
    ['a\ud800', false, false],
  ])('%j is a name: %s, a node id: %s', (text, name, node) =>
    expect([isName(text), isNodeId(text)]).toEqual([name, node]),
  )

  it.each([
    ['rpi4b', 'rpi4b'],
    ['rack/3:8001', 'rack_3_8001'],
  ])('the node %s is %s in object keys', (id, part) => expect(nodeIdInKey(id)).toBe(part))

  it('leave no node id a way out of its folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', ':', 'a', '\\', ' ') }), (text) => {
        const part = nodeIdInKey(text)
        expect(isNodeId(text) && (part.includes('/') || part === '.' || part.includes('..'))).toBe(false)
      }),
    )
  })
})

describe('liveness by the server’s clock', () => {
  const now = new Date('2026-03-02T10:00:00.000Z')
  const ago = (ms: number) => new Date(now.getTime() - ms)

  it.each([
    [0, true],
    [59_999, true],
    [60_000, false],
    [86_400_000, false],
    // The database's clock was set back meanwhile.
    [-5_000, true],
  ])('heard %d ms ago: online %s', (ms, online) => expect(isOnline(ago(ms), now)).toBe(online))

  it.each([
    ['unknown', null, 'unknown'],
    ['active', null, 'active'],
    ['active', 10_000, 'online'],
    ['online', 60_000, 'offline'],
  ])('an agent registered as %s, heard %s ms ago: %s', (reported, ms, status) =>
    expect(agentStatus(reported, ms === null ? null : ago(ms), now)).toBe(status),
  )
})

describe('a number of observations', () => {
  it.each([
    [1234, 1234],
    [0, 0],
    [12.9, 12],
    [-0.5, null],
    [-1, null],
    ['1234', 1234],
    [' 12.9 ', 12],
    ['1e3', 1000],
    [null, null],
    [undefined, null],
    ['', undefined],
    ['many', undefined],
    ['Infinity', undefined],
    [Number.NaN, undefined],
    [1e300, undefined],
    [true, undefined],
    [[1], undefined],
    [{}, undefined],
  ])('%j reads as %s', (sent, read) => expect(Object.is(readCount(sent), read)).toBe(true))
})

it.each([
  [1700000000, '1700000000'],
  [1700000000.25, '1700000000.25'],
  ['2026-03-02T10:00:00Z', '"2026-03-02T10:00:00Z"'],
  [{ at: [1] }, '{"at":[1]}'],
  [false, 'false'],
  [null, null],
  [undefined, null],
  ['x'.repeat(300), null],
])('a node that says %j of its time is kept as %s', (sent, kept) => expect(readReportedTime(sent)).toBe(kept))

describe('a sync', () => {
  it.each([
    ['push', 'completed', 'push_done'],
    ['pull', 'completed', 'pull_done'],
    ['push', 'failed', 'fail'],
    ['pull', 'failed', 'fail'],
    ['push', 'error', 'give_up'],
    ['pull', 'error', 'give_up'],
  ] as const)('%s that is %s ends by %s', (action, outcome, event) =>
    expect(endOf(action, outcome)).toBe(event),
  )

  it('keeps the end of an output', () => {
    const lines = Array.from({ length: 500 }, (_, n) => `line ${n}`)
    expect(outputTail(lines.join('\n'))).toBe(lines.slice(-OUTPUT_LINES).join('\n'))
    expect(outputTail(`a${'b'.repeat(OUTPUT_MAX)}`)).toBe('b'.repeat(OUTPUT_MAX))
    expect(outputTail('a\0b\n')).toBe('ab\n')
  })

  it('is searched for secrets only in part, and no secret is cut in two', () => {
    const [short, long] = ['x'.repeat(SEARCHED_MAX), 'x'.repeat(2 ** 20)]
    for (const part of [lastLines, firstWords]) expect(part(short)).toBe(short)
    expect(lastLines(`${long} secret\n${short.slice(9)}`)).toBe(short.slice(9))
    expect(lastLines(`${long} secret\rdone`)).toBe('done')
    expect(firstWords(`${short.slice(9)} the secret`)).toBe(`${short.slice(9)} the`)
    for (const line of [long, `${long}\n`]) expect(lastLines(line)).toMatch(/^\(one line/)
    expect(firstWords(long)).toMatch(/^\(one line/)
  })
})
