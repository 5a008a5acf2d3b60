/**
 * Loaded into a worker before its program (`node --import`): adds up how long the statements of each step of a job take, as their client sees
 * it, and prints the sums when the process ends: `steps {"claim":{"ms":…,"count":…},…}`. Steps run beside each other, so the sums may be
 * more than the time that passed. With TRACE_EACH=1 each statement is a line as well: `step <name> <from> <to>`, milliseconds of the
 * machine's clock.
 */
import fs from 'node:fs'
import pg from 'pg'
import { isDelivered, isReadToDeliver, type Steps, stepOf } from './queue-steps.ts'

const steps: Steps = {}
let readAt: number | null = null

const now = () => performance.timeOrigin + performance.now()
/** At once, so that no line is lost when the process ends. */
const print = (line: string) => fs.writeSync(process.stdout.fd, `${line}\n`)

function add(step: string, from: number, to: number): void {
  steps[step] ??= { ms: 0, count: 0 }
  steps[step].ms += to - from
  steps[step].count++
  if (process.env.TRACE_EACH === '1') print(`step ${step} ${from} ${to}`)
}

type Query = (this: unknown, ...given: unknown[]) => unknown
type Callback = (error: unknown, result?: unknown) => void

const original = pg.Client.prototype.query as unknown as Query
const traced: Query = function query(...given) {
  const [statement] = given
  const text = typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '')
  const from = now()
  if (isDelivered(text) && readAt !== null) add('project', readAt, from)
  const done = () => {
    add(stepOf(text), from, now())
    if (isReadToDeliver(text)) readAt = now()
  }
  const callback = given.at(-1)
  if (typeof callback === 'function')
    given[given.length - 1] = (...answer: Parameters<Callback>) => {
      done()
      callback(...answer)
    }
  const answer = Reflect.apply(original, this, given)
  if (answer instanceof Promise) answer.then(done, () => {})
  return answer
}
pg.Client.prototype.query = traced as unknown as typeof pg.Client.prototype.query

process.once('exit', () => print(`steps ${JSON.stringify(steps)}`))
