/**
 * Step-up: confirming the password [auth#step-up]. A mutation that answers STEP_UP_REQUIRED is repeated once the
 * password is confirmed; the shell has the one dialog. Mutations that need it at the same time share one question.
 */
import { toFault } from './fault.ts'

type Question = { answer: Promise<boolean>; settle: (given: boolean) => void }

let open: Question | null = null
let listener: (() => void) | null = null

/** True while the dialog is open. */
export const isStepUpAsked = (): boolean => open !== null

/** Where the dialog listens; only one does. */
export function subscribeStepUp(onChange: () => void): () => void {
  listener = onChange
  return () => {
    listener = null
  }
}

/** Closes the dialog: `given` tells whether the password was accepted. */
export function settleStepUp(given: boolean): void {
  const question = open
  open = null
  listener?.()
  question?.settle(given)
}

function requestPassword(): Promise<boolean> {
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

/** Does the work; when it needs step-up, asks for the password and repeats it. Dismissing the dialog rethrows the refusal. */
export async function withStepUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (toFault(error).code !== 'STEP_UP_REQUIRED' || !(await requestPassword())) throw error
    return work()
  }
}
