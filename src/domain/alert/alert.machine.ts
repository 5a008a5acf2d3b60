import { defineMachine, type StateOf } from '../kernel/machine.ts'

/**
 * The alert machine ([alerts#states]). A new occurrence is a new alert, so `closed` is final. What grew worse needs a person again:
 * `escalate` leads back to `open`.
 */
export const alertMachine = defineMachine({
  name: 'alert',
  states: ['open', 'acknowledged', 'closed'],
  final: ['closed'],
  events: {
    open: { from: null, to: 'open' },
    acknowledge: { from: ['open'], to: 'acknowledged' },
    escalate: { from: ['open', 'acknowledged'], to: 'open' },
    close: { from: ['open', 'acknowledged'], to: 'closed' },
  },
})

export type AlertState = StateOf<typeof alertMachine>

/** The states of an alert whose condition still holds. */
export const STANDING_ALERTS = ['open', 'acknowledged'] as const satisfies readonly AlertState[]
