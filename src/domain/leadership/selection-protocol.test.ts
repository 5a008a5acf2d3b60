import { describe, expect, test } from 'vitest'
import { NOTHING_KNOWN } from './known-terms.rules.ts'
import { resolveRole } from './lease-protocol.ts'
import type { Selection } from './selection.rules.ts'
import { finishSelection, selectPrimary } from './selection-protocol.ts'
import { Stage } from './testing/drive.ts'

const LOCK = { ttlSeconds: 60, graceSeconds: 5 }
const LEASE = {
  canonical_id: 'cid',
  primary_node_id: 'alder',
  issued_at: 0,
  expires_at: 100,
  lease_seconds: 100,
  epoch: 5,
  term: 2,
}
const selection = (change: Partial<Selection> = {}): Selection => ({
  canonicalId: 'cid',
  primaryNodeId: 'birch',
  leaseSeconds: 600,
  issuedBy: 'control-plane',
  expectedEpoch: 5,
  force: false,
  reason: 'alder is away',
  ...change,
})
function stage(): Stage {
  const made = new Stage()
  made.put('lease', LEASE)
  made.put('pointer', { sha256: 'old', push_id: 'base', epoch: 5, term: 2, colour: 'green' })
  return made
}
const select = (change?: Partial<Selection>) => selectPrimary(selection(change), LOCK, NOTHING_KNOWN)
const birch = { nodeId: 'birch', canonicalId: 'cid', primaryNodeId: null, leaseSeconds: 100 }

describe('selection', () => {
  test('writes the lease, then the fence, then the record', () => {
    const on = stage()
    expect(on.drive(select())).toMatchObject({
      outcome: 'selected',
      fenced: true,
      lease: { epoch: 6, term: 3 },
    })
    expect(on.trace.slice(3)).toEqual([
      'nonce',
      'select lease',
      'read pointer',
      'fence pointer',
      'audit select',
    ])
    expect(on.stored('pointer')).toEqual({
      sha256: 'old',
      push_id: 'base',
      epoch: 6,
      term: 3,
      colour: 'green',
    })
  })

  test('of two persons of one epoch one wins, and the other hears of whom', () => {
    const on = stage()
    let winner: unknown = null
    const rival = () => {
      winner ??= on.drive(select({ primaryNodeId: 'cedar' }))
    }
    const end = on.drive(select(), { before: (effect) => effect.effect === 'write' && rival() })
    expect(winner).toMatchObject({ outcome: 'selected', lease: { primary_node_id: 'cedar' } })
    expect(end).toMatchObject({
      outcome: 'refused',
      code: 'EPOCH_STALE',
      winner: { primary_node_id: 'cedar' },
    })
    expect(on.stored('lease').primary_node_id).toBe('cedar')
  })

  test('that the new primary has renewed before its answer came is known for what it is', () => {
    const on = stage()
    const end = on.drive(select(), {
      instead: (effect) => {
        if (effect.effect !== 'write' || effect.event !== 'select') return undefined
        on.store.put('lease', effect.text, on.now)
        on.now += 400
        on.drive(resolveRole(birch, NOTHING_KNOWN))
        return { answer: 'unknown' }
      },
    })
    expect(on.stored('lease')).toMatchObject({ epoch: 7, term: 3 })
    expect(end).toMatchObject({ outcome: 'selected', fenced: true })
  })

  test('whose fence cannot be written stands, and says that it is not fenced', () => {
    const on = stage()
    const end = on.drive(select(), {
      instead: (effect) =>
        effect.effect === 'write' && effect.event === 'fence' ? { answer: 'unknown' } : undefined,
    })
    expect(end).toMatchObject({ outcome: 'selected', fenced: false })
  })

  test('pauses before it looks for the fence once more', () => {
    const on = stage()
    const silent = { found: 'unknown', reason: '503' } as const
    const end = on.drive(select(), {
      instead: (effect) =>
        effect.effect === 'read' && on.trace.includes('select lease') && !on.trace.includes('wait')
          ? silent
          : undefined,
    })
    expect(end).toMatchObject({ outcome: 'selected', fenced: true })
    expect(on.trace.slice(-5)).toEqual([
      'read pointer',
      'wait',
      'read pointer',
      'fence pointer',
      'audit select',
    ])
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7])(
    'killed before step %i is ended by the scan, or never was',
    (killAt) => {
      const on = stage()
      on.drive(select(), { killAt })
      const wasWritten = on.stored('lease').epoch === 6
      expect(wasWritten).toBe(killAt > 4)
      on.trace.length = 0
      expect(on.drive(finishSelection('cid', 'control-plane'))).toBe(true)
      expect(on.stored('pointer').term).toBe(wasWritten ? 3 : 2)
      expect(on.trace.includes('audit select')).toBe(wasWritten)
    },
  )

  test('is ended by the new primary, too, when no scan has come by', () => {
    const on = stage()
    on.drive(select(), { killAt: 5 })
    expect(on.drive(resolveRole(birch, NOTHING_KNOWN))).toMatchObject({ role: 'primary', term: 3 })
    expect(on.stored('pointer').term).toBe(3)
  })
})

describe('a node that cannot fence its term', () => {
  test('is not primary', () => {
    const on = stage()
    on.drive(select(), { killAt: 5 })
    const standing = on.drive(resolveRole(birch, NOTHING_KNOWN), {
      instead: (effect) =>
        effect.effect === 'write' && effect.event === 'fence' ? { answer: 'unknown' } : undefined,
    })
    expect(standing).toEqual({ role: 'unknown', reason: 'no decision after 8 looks' })
  })
})
