import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The machine of a question that a run asks of a person ([questions#transitions]). */
export const questionMachine = defineMachine({
  name: 'run_question',
  states: ['open', 'answered', 'expired', 'withdrawn'],
  final: ['answered', 'expired', 'withdrawn'],
  events: {
    ask: { from: null, to: 'open' },
    answer: { from: ['open'], to: 'answered' },
    expire: { from: ['open'], to: 'expired' },
    withdraw: { from: ['open'], to: 'withdrawn' },
  },
})

export type QuestionState = StateOf<typeof questionMachine>
