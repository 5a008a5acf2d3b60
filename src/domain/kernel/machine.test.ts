import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MACHINES } from '../machines.ts'
import { allowed, can, decide, defineMachine, edges, toMermaid } from './machine.ts'

describe.each(MACHINES.map((m) => [m.name, m] as const))('the machine %s', (_, machine) => {
  it('walks only along its table, and never out of a final state', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(machine.events)), { maxLength: 40 }), (events) => {
        let state = machine.initial[0] ?? (machine.states[0] as string)
        for (const event of events) {
          const decision = decide(machine, state, event)
          const edge = machine.events[event]
          expect(decision.ok).toBe(edge?.from?.includes(state) ?? false)
          if (decision.ok) {
            expect(machine.final).not.toContain(state)
            expect(decision.to).toBe(edge?.to)
            state = decision.to
          } else {
            expect(decision.allowed).toEqual(allowed(machine, state))
            expect(decision.allowed).not.toContain(event)
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  it('reaches every state, and leaves every state that is not final', () => {
    const reached = new Set([...(machine.initial.length > 0 ? machine.initial : machine.states.slice(0, 1))])
    for (let grew = true; grew; ) {
      const before = reached.size
      for (const e of edges(machine)) if (e.from !== null && reached.has(e.from)) reached.add(e.to)
      grew = reached.size > before
    }
    expect([...reached].sort()).toEqual([...machine.states].sort())
    for (const state of machine.states) {
      const leaves = edges(machine).some((e) => e.from === state && e.to !== state)
      expect(leaves, state).toBe(!machine.final.includes(state))
    }
  })

  it('draws every edge once', () => {
    const lines = toMermaid(machine)
      .split('\n')
      .filter((l) => l.includes(': '))
    expect(lines).toHaveLength(edges(machine).length)
    expect(new Set(lines).size).toBe(lines.length)
  })
})

describe('a table with a fault', () => {
  const table = { name: 'lamp', states: ['off', 'on'] as const, final: [] as const }
  it('that names an unknown state does not start', () => {
    expect(() => defineMachine({ ...table, events: { press: { from: ['dim' as 'on'], to: 'on' } } })).toThrow(
      'lamp.press: unknown state dim',
    )
  })
  it('that leaves a final state does not start', () => {
    const faulty = {
      name: 'lamp',
      states: ['off', 'on'] as const,
      final: ['on'] as const,
      events: { press: { from: ['on' as const], to: 'off' as const } },
    }
    expect(() => defineMachine(faulty)).toThrow('leaves the final state on')
  })
  it('knows what can happen', () => {
    const lamp = defineMachine({
      ...table,
      events: { make: { from: null, to: 'off' }, press: { from: ['off'], to: 'on' } },
    })
    expect(can(lamp, 'off', 'press')).toBe(true)
    expect(can(lamp, 'on', 'press')).toBe(false)
    expect(can(lamp, 'off', 'make')).toBe(false)
  })
})
