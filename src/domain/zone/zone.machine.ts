import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The Zone machine of contract page 09, section 4: open until its end or until the owner revokes it. */
export const zoneMachine = defineMachine({
  name: 'zone',
  states: ['open', 'expired', 'revoked'],
  final: ['expired', 'revoked'],
  events: {
    create: { from: null, to: 'open' },
    extend: { from: ['open'], to: 'open' },
    expire: { from: ['open'], to: 'expired' },
    revoke: { from: ['open'], to: 'revoked' },
  },
})

export type ZoneState = StateOf<typeof zoneMachine>
