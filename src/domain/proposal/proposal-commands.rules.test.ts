import { describe, expect, it } from 'vitest'
import { proposalMachine } from './proposal.machine.ts'
import { allowsForcedApproval } from './proposal-commands.rules.ts'

describe('an approval by force', () => {
  const pending = { status: 'PENDING', inConflict: true, awaitsChanges: false } as const
  it.each([
    ['in conflict', pending, true],
    ['not in conflict', { ...pending, inConflict: false }, false],
    ['in conflict, while its agent works on changes', { ...pending, awaitsChanges: true }, false],
  ])('of a pending one %s: %s', (_, subject, expected) =>
    expect(allowsForcedApproval(subject)).toBe(expected),
  )

  it.each(proposalMachine.states.filter((status) => status !== pending.status))(
    'not of one that is %s',
    (status) => expect(allowsForcedApproval({ ...pending, status })).toBe(false),
  )
})
