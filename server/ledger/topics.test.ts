import { expect, test } from 'vitest'
import { LEDGER_MACHINES } from '#domain/machines.ts'
import { topicsOf } from './topics.ts'

const changes = Object.entries(LEDGER_MACHINES).flatMap(([machine, { events }]) =>
  Object.keys(events).map((event) => [machine as keyof typeof LEDGER_MACHINES, event] as const),
)

test('every change announces its event, but for a taking, which its outcome follows at once', () => {
  const silent = changes.filter(([machine, event]) => !topicsOf(machine, event).includes('events'))
  expect(silent).toEqual([['proposal', 'take']])
  expect(topicsOf('proposal', 'take')).toEqual([])
})

test('an approval is announced to those who apply it', () => {
  expect(topicsOf('proposal', 'approve')).toEqual(['events', 'apply'])
})
