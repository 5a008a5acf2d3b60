import { v5 as uuidv5 } from 'uuid'
import { PATTERNS } from '#domain/kernel/ids.ts'

/** Ids of what a run creates: functions of the run and an index alone, so that a replay creates nothing twice ([runs#I-R7]). */
const NAMESPACE = '6f1c2f0e-6f57-5b0c-9d63-6a1f3c1f7a42'
const EXECUTION = 2

const idOf = (runId: string, step: number, index: number) => uuidv5(`${runId}/${step}/${index}`, NAMESPACE)
const dayOf = (runId: string) => runId.slice(4, 14)
const hexOf = (uuid: string) => uuid.replaceAll('-', '').slice(0, 12)

/** The job that call `index` of step 02 asks for. */
export const jobIdOfCall = (runId: string, index: number): string => idOf(runId, EXECUTION, index)

/** The question that call `index` of step 02 asks. */
export const questionIdOfCall = jobIdOfCall

/** The LLM Task that call `index` of step 02 is. */
export const taskIdOfCall = jobIdOfCall

/** The proposal made of output `index` of step 02. */
export const proposalIdOf = (runId: string, index: number): string =>
  `prop_${dayOf(runId)}_${hexOf(idOf(runId, EXECUTION, index))}`

/** The inbox entry through which that proposal is submitted. */
export const inboxIdOf = (runId: string, index: number): string =>
  `inbox_${dayOf(runId)}_${hexOf(uuidv5(`inbox/${runId}/${index}`, NAMESPACE))}`

/** The folder of a run's objects in the store. */
export function runFolder(slug: string, runId: string): string {
  if (!PATTERNS.slug.test(slug) || !PATTERNS.run.test(runId))
    throw new TypeError(`not a run of an agent: ${slug}, ${runId}`)
  return `agents/${slug}/runs/${runId}`
}
