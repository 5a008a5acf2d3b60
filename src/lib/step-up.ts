/**
 * Step-up: confirming the password [auth#step-up]. A mutation that answers STEP_UP_REQUIRED is repeated once the
 * password is confirmed; the shell has the one dialog. Mutations that need it at the same time share one question.
 */
import { toFault } from './fault.ts'
import { makeQuestion } from './question.ts'

const question = makeQuestion()

/** True while the dialog is open. */
export const isStepUpAsked = question.isAsked
/** Where the dialog listens; only one does. */
export const subscribeStepUp = question.subscribe
/** Closes the dialog: `given` tells whether the password was accepted. */
export const settleStepUp = question.settle

/** Does the work; when it needs step-up, asks for the password and repeats it. Dismissing the dialog rethrows the refusal. */
export async function withStepUp<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (toFault(error).code !== 'STEP_UP_REQUIRED' || !(await question.request())) throw error
    return work()
  }
}
