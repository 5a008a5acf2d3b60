import { expect, it } from 'vitest'
import { inOrderOfUrgency, type Need } from './needs.rules.ts'

const NOW = new Date('2026-11-23T12:00:00Z')
const hours = (n: number) => new Date(NOW.getTime() + n * 3_600_000)
const need = (kind: Need['kind'], since: number | null, expires: number | null = null) => ({
  kind,
  since: since === null ? null : hours(since),
  expires: expires === null ? null : hours(expires),
})

it('puts what expires within a day first, then what went wrong, then what is to be reviewed as it came', () => {
  const later = need('proposal', -1, 30)
  const laterStill = need('proposal', -9, 60)
  const soon = need('proposal', -2, 23)
  const next = need('proposal', -1, 2)
  const component = need('component', null)
  const failed = need('failed_proposal', -3)
  const dead = need('dead_jobs', -1)
  const given = [laterStill, component, soon, failed, later, dead, next]
  expect(inOrderOfUrgency(given, NOW)).toEqual([next, soon, dead, failed, component, laterStill, later])
})
