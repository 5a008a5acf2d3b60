/**
 * The place that an agent's answer to a request for changes takes ([proposals#requesting-changes]). A proposal and what came of it in turn are its
 * line; at most one of them waits for a decision or is being applied, whatever is replayed how often.
 */
import { type ProposalState, proposalMachine } from './proposal.machine.ts'
import { CLOSED_WITHOUT_EFFECT, isSupersedable } from './proposal-commands.rules.ts'

/** One proposal of the line. */
export type LineMember = {
  status: ProposalState
  /** The request by which changes of it were last asked for. */
  request: string | null
  /** It answers the proposal that was reviewed. */
  answers: boolean
  /** It came of the same execution of the agent as the answer that is placed. */
  same_execution: boolean
}

/**
 * `successor`: it takes the place of what is open, or names what was decided without effect. `beside`: a proposal like any other, since the line is
 * applied or has an answer of this very execution. The others are refused: the owner has asked for something else since, or has what came of
 * the line in hand (approved, edited, rebased).
 */
export type AnswerPlace = 'successor' | 'beside' | 'overtaken' | 'in_hand'

const APPLIED = proposalMachine.events.applied.to
const isOpen = ({ status }: LineMember): boolean =>
  status !== APPLIED && !CLOSED_WITHOUT_EFFECT.includes(status)

/** Where an answer to `request` stands; the proposal that was reviewed is the first of its line. */
export function placeOfAnswer(line: readonly [LineMember, ...LineMember[]], request: string): AnswerPlace {
  const [reviewed] = line
  const [open, ...others] = line.filter(isOpen)
  if (line.some(({ same_execution }) => same_execution)) return 'beside'
  if (!open)
    return reviewed.request === request && !line.some(({ status }) => status === APPLIED)
      ? 'successor'
      : 'beside'
  if (reviewed.request !== request || line.some((one) => one.request !== null && one.request !== request))
    return 'overtaken'
  const makesRoom = others.length === 0 && isSupersedable(open.status) && (open === reviewed || open.answers)
  return makesRoom ? 'successor' : 'in_hand'
}
