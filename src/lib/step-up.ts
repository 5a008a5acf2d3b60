/**
 * The password again [auth#step-up]. A mutation that answers STEP_UP_REQUIRED asks here and is repeated; the
 * one dialog that answers stands in the shell. Several mutations that ask at once share one question.
 */
import { toFault } from './fault.ts'

type Question = { answer: Promise<boolean>; settle: (given: boolean) => void }

let open: Question | null = null
let listener: (() => void) | null = null

/** True while the password is asked for. */
export const isStepUpAsked = (): boolean => open !== null

/** Where the dialog listens; only one does. */
export function subscribeStepUp(onChange: () => void): () => void {
  listener = onChange
  return () => {
    listener = null
  }
}

/** Ends the question: `given` says whether the password was accepted. */
export function settleStepUp(given: boolean): void {
  const question = open
  open = null
  listener?.()
  question?.settle(given)
}

function ask(): Promise<boolean> {
  if (!listener) return Promise.resolve(false)
  if (open) return open.answer
  let settle: Question['settle'] = () => undefined
  const answer = new Promise<boolean>((resolve) => {
    settle = resolve
  })
  open = { answer, settle }
  listener()
  return answer
}

/** Does the work; when it needs a fresh password, asks for it and does the work once more. Declined, the refusal stands. */
export async function withStepUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (toFault(error).code !== 'STEP_UP_REQUIRED' || !(await ask())) throw error
    return work()
  }
}
