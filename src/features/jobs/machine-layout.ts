import { type JobEvent, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { JOB_ACTION_EVENTS } from '#domain/job/job.rules.ts'
import { edges } from '#domain/kernel/machine.ts'

/** The picture of the job machine: its arrows are those of the machine's table, only the places of the states are chosen here. Units of the picture. */
const [MARGIN, PITCH] = [87, 180]
export const BOX = { width: 168, height: 40 } as const
export const PICTURE = { width: 2 * MARGIN + 5 * PITCH, height: 188 } as const

const FINE_ROW = 4
const TROUBLE_ROW = 104
type Place = { x: number; y: number }
const at = (column: number, y: number): Place => ({ x: MARGIN + column * PITCH, y })

/** The middle of the upper edge of each state's box. */
export const PLACES: Record<JobState, Place> = {
  PENDING: at(0, FINE_ROW),
  QUEUED: at(1, FINE_ROW),
  CONTEXT_ASSEMBLY: at(2, FINE_ROW),
  NOTEBOOKLM_CALL: at(3, FINE_ROW),
  ARTIFACT_WRITE: at(4, FINE_ROW),
  COMPLETE: at(5, FINE_ROW),
  RETRY_BACKOFF: at(2.5, TROUBLE_ROW),
  FAILED: at(4, TROUBLE_ROW),
  DEAD: at(5, TROUBLE_ROW),
}

export type Arrow = {
  from: JobState
  to: JobState
  events: JobEvent[]
  /** Only people take this way. */
  byPerson: boolean
  /** A way into the backoff, or out of it into the queue. */
  retry: boolean
  path: string
}

const BY_PERSON: readonly JobEvent[] = Object.values(JOB_ACTION_EVENTS)
const RETRYING = jobMachine.events.nlm_busy.to
const QUEUED = jobMachine.events.backoff_elapsed.to

/** One arrow for all events between two states. */
export function arrows(): Arrow[] {
  const found = new Map<string, { from: JobState; to: JobState; events: JobEvent[] }>()
  for (const { event, from, to } of edges(jobMachine)) {
    if (from === null) continue
    const key = `${from} ${to}`
    const arrow = found.get(key) ?? { from, to, events: [] }
    arrow.events.push(event)
    found.set(key, arrow)
  }
  return [...found.values()].map((arrow) => ({
    ...arrow,
    byPerson: arrow.events.every((event) => BY_PERSON.includes(event)),
    retry: arrow.to === RETRYING || (arrow.from === RETRYING && arrow.to === QUEUED),
    path: pathOf(arrow.from, arrow.to),
  }))
}

/** The heights of the ways between the rows and below them. */
const [BETWEEN, BELOW, LOWEST] = [74, 162, 182]
/** How far beside the middle of a box an arrow leaves or enters it. */
const BESIDE = 16

/** To the right neighbour straight on; else down or up to a way of its own, along it, and in. */
function pathOf(from: JobState, to: JobState): string {
  const [a, b] = [PLACES[from], PLACES[to]]
  const bottom = a.y + BOX.height
  if (a.y === b.y && b.x - a.x === PITCH)
    return `M${a.x + BOX.width / 2} ${a.y + BOX.height / 2}H${b.x - BOX.width / 2}`
  if (to === RETRYING) return `M${a.x + towards(a, b)} ${bottom}V${BETWEEN}H${b.x}V${b.y}`
  if (b.y === FINE_ROW && from === RETRYING)
    return `M${a.x - BOX.width / 2} ${a.y + BOX.height / 2}H${b.x + 1.5 * BESIDE}V${b.y + BOX.height}`
  if (b.y === FINE_ROW)
    return `M${a.x + BESIDE} ${bottom}V${LOWEST}H${b.x - 2.5 * BESIDE}V${b.y + BOX.height}`
  const aside = a.y === FINE_ROW ? -towards(a, PLACES[RETRYING]) : 0
  return `M${a.x + aside} ${bottom}V${BELOW}H${b.x - BESIDE}V${b.y + BOX.height}`
}

const towards = (a: Place, b: Place): number => Math.sign(b.x - a.x) * BESIDE
