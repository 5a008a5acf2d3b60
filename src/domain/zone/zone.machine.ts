import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The zone machine ([zones#states]): open until its end or until the owner revokes it. */
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
