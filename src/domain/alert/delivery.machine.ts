import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The machine of one message about an alert over one channel ([alerts#delivery]). An attempt takes a new fence and changes no state. */
export const deliveryMachine = defineMachine({
  name: 'alert_delivery',
  states: ['pending', 'delivered', 'failed'],
  final: ['delivered', 'failed'],
  events: {
    request: { from: null, to: 'pending' },
    attempt: { from: ['pending'], to: 'pending' },
    deliver: { from: ['pending'], to: 'delivered' },
    fail: { from: ['pending'], to: 'failed' },
  },
})

export type DeliveryState = StateOf<typeof deliveryMachine>
