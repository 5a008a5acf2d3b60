import type { SyncAction, syncMachine } from './sync.machine.ts'

/** A sync without an answer after this time is lost. */
export const SYNC_ANSWER_SECONDS = 600
/** How long a call waits for a node: more than the 120 s that a node gives its own work. */
export const NODE_ANSWER_SECONDS = 150
/** After this time the call of a sync that was taken up has ended. */
export const CALL_SECONDS = NODE_ANSWER_SECONDS + 10

/** How much of a text is searched for secrets, which takes time in its length. */
export const SEARCHED_MAX = 65_536
/** The end of a program's output that is kept. */
export const OUTPUT_LINES = 200
export const OUTPUT_MAX = 16_384
export const DETAIL_MAX = 2_000

/** How a sync ended: the node did it, the node says that it failed, or nobody knows because no answer came. */
export type SyncOutcome = 'completed' | 'failed' | 'error'

type EndOf = Exclude<keyof (typeof syncMachine)['events'], 'request'>

const COMPLETED = { push: 'push_done', pull: 'pull_done' } as const satisfies Record<SyncAction, EndOf>

/** The event of the machine by which a sync of this kind ends. */
export function endOf(action: SyncAction, outcome: SyncOutcome): EndOf {
  if (outcome === 'completed') return COMPLETED[action]
  return outcome === 'failed' ? 'fail' : 'give_up'
}

/** The last lines of an output, as far as they are kept. NUL, which no text column holds, is left out. */
export const outputTail = (text: string): string =>
  text.replaceAll('\0', '').split('\n').slice(-OUTPUT_LINES).join('\n').slice(-OUTPUT_MAX)

const ONE_LINE = `(one line of more than ${SEARCHED_MAX} characters)`

/** The last whole lines of an output, as far as they are searched: a line that is cut could begin with half a secret, which nobody would recognise. */
export function lastLines(text: string): string {
  if (text.length <= SEARCHED_MAX) return text
  const tail = text.slice(-SEARCHED_MAX)
  const cut = tail.search(/[\r\n]/)
  return (cut < 0 ? '' : tail.slice(cut + 1)) || ONE_LINE
}

/** The first whole words of a sentence, as far as they are searched. */
export function firstWords(text: string): string {
  if (text.length <= SEARCHED_MAX) return text
  const head = text.slice(0, SEARCHED_MAX)
  return head.slice(0, Math.max(head.lastIndexOf(' '), head.lastIndexOf('\n'), 0)) || ONE_LINE
}

/** The beginning of a sentence, as far as it is kept. */
export const detailOf = (text: string): string => text.replaceAll('\0', '').slice(0, DETAIL_MAX)

const ASSIGNED =
  /\b((?:\w{0,60}(?:secret|password|passwd|token|_key)\w{0,60}|x-membridge-(?:admin|agent)|authorization)["']?\s{0,4}[=:]\s{0,4}["']?)(?:bearer\s{1,4})?[^\s"']+/gi

/** A program's output without values under names of secrets (`MINIO_SECRET_KEY=…`): those of a node are not ours to know, so they can't be masked by value. */
export const withoutAssigned = (text: string): string => text.replaceAll(ASSIGNED, '$1****')
