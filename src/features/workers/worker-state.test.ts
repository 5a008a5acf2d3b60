import { expect, it } from 'vitest'
import { aWorker } from './testing/workers.ts'
import { commandsOf, summaryOf, uselessBecause } from './worker-state.ts'

it('is drained or resumed; the owner alone removes it, commands its agent and says where it is called', () => {
  const worker = aWorker('orange')
  expect(commandsOf(worker, 'owner')).toEqual([
    ...['drain', 'release', 'correct', 'reset'],
    ...['restartAgent', 'updateAgent', 'uninstallAgent', 'remove'],
  ])
  const drained = aWorker('orange', { drained_at: 1, drain_reason: 'moves to the attic' })
  expect(commandsOf(drained, 'operator')).toEqual(['resume', 'release', 'reset'])
  expect(commandsOf(worker, 'guest')).toEqual([])
})

const OPEN = { state: 'open', failures: 3, cooldown_seconds: 60, open_until: 1_000 } as const

it.each([
  ['release', aWorker('orange'), 'nothingToRelease'],
  ['release', aWorker('orange', { active_leases: 1 }), undefined],
  ['reset', aWorker('orange'), 'breakerClosed'],
  ['reset', aWorker('orange', { breaker: { ...OPEN, state: 'closed', failures: 1 } }), undefined],
  ['reset', aWorker('orange', { breaker: OPEN }), undefined],
  ['remove', aWorker('orange', { active_leases: 1 }), undefined],
  ['restartAgent', aWorker('orange'), undefined],
  ['uninstallAgent', aWorker('orange', { url: null, callable: false }), 'noAgentAddress'],
  ['restartAgent', aWorker('orange', { callable: false }), 'notCalled'],
] as const)('%s of $1.name changes nothing because: $2', (command, worker, why) => {
  expect(uselessBecause(command, worker)).toBe(why)
})

it('sums up who is there', () => {
  const workers = [aWorker('a', { active_leases: 2 }), aWorker('b', { status: 'offline' }), aWorker('c')]
  expect(summaryOf(workers)).toEqual({ online: 2, offline: 1, active: 2 })
})
