import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The machine of machine keys ([keys#states]): valid until its end or until an owner revokes it. `rotate` gives it a successor. */
export const machineKeyMachine = defineMachine({
  name: 'machine_key',
  states: ['active', 'expired', 'revoked'],
  final: ['expired', 'revoked'],
  events: {
    create: { from: null, to: 'active' },
    rotate: { from: ['active'], to: 'active' },
    expire: { from: ['active'], to: 'expired' },
    revoke: { from: ['active'], to: 'revoked' },
  },
})

export type MachineKeyState = StateOf<typeof machineKeyMachine>
