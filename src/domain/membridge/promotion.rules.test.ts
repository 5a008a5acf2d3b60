import { describe, expect, it } from 'vitest'
import {
  aheadOfPointer,
  isLossAccepted,
  type LeadershipFacts,
  lossOf,
  preflightPromotion,
} from './promotion.rules.ts'

const node = (node_id: string, obs_count: number | null, online = true) => ({ node_id, obs_count, online })
const facts = (more: Partial<LeadershipFacts> = {}): LeadershipFacts => ({
  lease_state: 'valid',
  primary_node_id: 'old',
  lock: { state: 'free', node_id: null },
  pointer: { state: 'present', sha256: 'a'.repeat(64), observations: 100 },
  nodes: [node('old', 100), node('new', 100)],
  ...more,
})
const nodes = (old: number | null, target: number | null) => ({
  nodes: [node('old', old), node('new', target)],
})
const stub = { pointer: { state: 'present', sha256: null, observations: null } } as const
const nothing = { pointer: { state: 'absent', sha256: null, observations: null } } as const
const garbled = { pointer: { state: 'unreadable', sha256: null, observations: null } } as const

describe('the loss', () => {
  it.each<[string, Partial<LeadershipFacts>, { unpushed: number; missing: number; unknown: string[] }]>([
    ['nothing is lost between equals', {}, { unpushed: 0, missing: 0, unknown: [] }],
    ['what the primary never pushed', nodes(112, 100), { unpushed: 12, missing: 0, unknown: [] }],
    ['what the target does not have', nodes(100, 70), { unpushed: 0, missing: 30, unknown: [] }],
    ['both', nodes(112, 70), { unpushed: 12, missing: 30, unknown: [] }],
    ['a target that is ahead loses nothing', nodes(90, 130), { unpushed: 0, missing: 0, unknown: [] }],
    ['the primary never reported', nodes(null, 100), { unpushed: 0, missing: 0, unknown: ['primary'] }],
    [
      'the primary was never heard of',
      { nodes: [node('new', 100)] },
      { unpushed: 0, missing: 0, unknown: ['primary'] },
    ],
    ['the target never reported', nodes(112, null), { unpushed: 12, missing: 0, unknown: ['target'] }],
    ['neither reported', nodes(null, null), { unpushed: 0, missing: 0, unknown: ['primary', 'target'] }],
    [
      'the last push has no count',
      { pointer: { state: 'present', sha256: 'b'.repeat(64), observations: null } },
      { unpushed: 0, missing: 0, unknown: ['pointer'] },
    ],
    [
      'the pointer cannot be read',
      { ...garbled, ...nodes(12, 0) },
      { unpushed: 0, missing: 0, unknown: ['pointer'] },
    ],
    ['nothing was pushed yet', { ...nothing, ...nodes(12, 0) }, { unpushed: 12, missing: 0, unknown: [] }],
    ['only a fence stands', { ...stub, ...nodes(12, 50) }, { unpushed: 12, missing: 0, unknown: [] }],
    [
      'nothing was pushed and the target never reported',
      { ...stub, ...nodes(0, null) },
      { unpushed: 0, missing: 0, unknown: [] },
    ],
    [
      'no primary yet',
      { lease_state: 'absent', primary_node_id: null, ...nothing, ...nodes(40, 10) },
      { unpushed: 0, missing: 0, unknown: [] },
    ],
    [
      'no lease over a push',
      { lease_state: 'absent', primary_node_id: null, ...nodes(100, 60) },
      { unpushed: 0, missing: 40, unknown: [] },
    ],
    [
      'an unreadable lease names nobody',
      { lease_state: 'unreadable', primary_node_id: null },
      { unpushed: 0, missing: 0, unknown: ['holder'] },
    ],
    [
      'the primary itself',
      { primary_node_id: 'new', ...nodes(100, 40) },
      { unpushed: 0, missing: 0, unknown: [] },
    ],
  ])('%s', (_, more, lost) => {
    const preflight = preflightPromotion(facts(more), 'new')
    expect(preflight).toMatchObject(lost)
    expect(lossOf(preflight)).toBe(lost.unknown.length > 0 ? null : lost.unpushed + lost.missing)
  })
})

describe('force', () => {
  it.each<[string, Partial<LeadershipFacts>, string | null]>([
    ['nobody pushes', {}, null],
    ['the primary pushes', { lock: { state: 'active', node_id: 'old' } }, 'push_in_flight'],
    ['somebody who gives no name pushes', { lock: { state: 'active', node_id: null } }, 'push_in_flight'],
    ['another node pushes', { lock: { state: 'active', node_id: 'third' } }, null],
    ['a lock in its grace', { lock: { state: 'grace', node_id: 'old' } }, null],
    ['a stale lock', { lock: { state: 'stale', node_id: 'old' } }, null],
    [
      'a lock that the store did not give',
      { lock: { state: 'unreadable', node_id: null } },
      'lock_unreadable',
    ],
    ['a lease that cannot be read', { lease_state: 'unreadable', primary_node_id: null }, 'lease_unreadable'],
    [
      'no lease at all',
      { lease_state: 'absent', primary_node_id: null, lock: { state: 'active', node_id: 'old' } },
      null,
    ],
    [
      'the target pushes as primary',
      { primary_node_id: 'new', lock: { state: 'active', node_id: 'new' } },
      null,
    ],
  ])('%s: %s', (_, more, force) => expect(preflightPromotion(facts(more), 'new').force).toBe(force))
})

describe('step-up', () => {
  it.each<[string, Partial<LeadershipFacts>, boolean]>([
    ['nothing is lost', {}, false],
    ['records are lost', nodes(101, 100), true],
    ['the target is behind', nodes(100, 99), true],
    ['nobody knows', nodes(null, 100), true],
    ['force', { lock: { state: 'active', node_id: 'old' } }, true],
    ['an expired lease alone', { lease_state: 'expired' }, false],
  ])('%s: %s', (_, more, needed) => expect(preflightPromotion(facts(more), 'new').needsStepUp).toBe(needed))
})

describe('who changes', () => {
  it('names the outgoing primary and whether it is there', () => {
    const gone = facts({ nodes: [node('old', 5, false), node('new', 100)] })
    expect(preflightPromotion(gone, 'new').outgoing).toEqual({ ...node('old', 5, false), known: true })
    expect(preflightPromotion(facts({ nodes: [] }), 'new').outgoing).toMatchObject({
      node_id: 'old',
      known: false,
      online: false,
    })
    expect(preflightPromotion(facts(), 'old')).toMatchObject({ outgoing: null, isPrimaryAlready: true })
  })

  it('tells a target that nobody has heard of', () => {
    expect(preflightPromotion(facts(), 'ghost')).toMatchObject({
      isTargetKnown: false,
      isTargetOnline: false,
      unknown: ['target'],
    })
  })

  it('names fuller nodes, the fullest first', () => {
    const many = facts({
      nodes: [
        node('old', 100),
        node('new', 100),
        node('third', 140),
        node('fourth', 300),
        node('fifth', null),
      ],
    })
    expect(preflightPromotion(many, 'new').fuller.map(({ node_id }) => node_id)).toEqual(['fourth', 'third'])
  })
})

it.each([
  [nodes(100, 100), 0, true],
  [nodes(112, 100), 0, false],
  [nodes(112, 100), 11, false],
  [nodes(112, 100), 12, true],
  [nodes(112, 100), null, false],
  [nodes(null, 100), 0, false],
  [nodes(null, 100), 500, false],
  [nodes(null, 100), null, true],
  [nodes(100, 100), null, true],
])('a loss of %j accepted as %s: %s', (more, accepted, isAccepted) => {
  expect(isLossAccepted(preflightPromotion(facts(more), 'new'), accepted)).toBe(isAccepted)
})

it.each([
  [{ state: 'present', sha256: 'a', observations: 100 }, 112, 12],
  [{ state: 'present', sha256: 'a', observations: 100 }, 70, -30],
  [{ state: 'present', sha256: 'a', observations: null }, 70, null],
  [{ state: 'present', sha256: 'a', observations: 100 }, null, null],
  [stub.pointer, 70, 70],
  [nothing.pointer, 7, 7],
  [garbled.pointer, 7, null],
] as const)('against the pointer %j, %s records are %s ahead', (pointer, count, ahead) =>
  expect(aheadOfPointer({ pointer }, count)).toBe(ahead),
)
