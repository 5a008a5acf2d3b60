import { describe, expect, test } from 'vitest'
import { type AgentState, agentMachine } from './agent.machine.ts'
import { commandFault, liveCommands } from './agent.rules.ts'

describe('commands of the owner', () => {
  test.each<[AgentState, string[]]>([
    ['draft', ['activate', 'archive']],
    ['active', ['pause', 'archive']],
    ['paused', ['resume', 'archive']],
    ['error', ['pause', 'recover', 'archive']],
    ['archived', ['restore']],
    ['deleted', []],
  ])('%s', (status, expected) => {
    expect(liveCommands({ status, errors: 0, running: 0 })).toEqual(expected)
  })

  test('a faulty definition never becomes active', () => {
    for (const status of agentMachine.states) {
      const live = liveCommands({ status, errors: 1, running: 0 })
      expect(live.filter((c) => agentMachine.events[c].to === 'active')).toEqual([])
    }
  })

  test('an agent with a running run is not archived', () => {
    expect(commandFault('archive', { status: 'active', errors: 0, running: 1 })).toBe('running')
  })
})
