/** `npm run requeue -- <job id …|--dead> [--reason <text>]` (server/launch/requeue.mjs): says of each job what became of it. */
import { parseArgs } from 'node:util'
import sql from 'sql-template-tag'
import { z } from 'zod'
import type { Caller } from '#domain/authority/caller.ts'
import { jobMachine } from '#domain/job/job.machine.ts'
import { EnvFault, loadEnv } from '#server/env.ts'
import { operateJobs, requeueJob } from '#server/jobs/operate-job.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'

const USAGE = 'Name the jobs: npm run requeue -- <job id …>, or all that are dead: npm run requeue -- --dead'
const BATCH = 500
/** Whoever may run commands on the home's machine. */
const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'system' }

const say = (line: string) => process.stdout.write(`${line}\n`)

function asked(): { ids: string[]; dead: boolean; reason: string } | null {
  const reason = { type: 'string', default: 'Requeued on the command line' } as const
  try {
    const { values, positionals } = parseArgs({
      options: { dead: { type: 'boolean', default: false }, reason },
      allowPositionals: true,
    })
    const valid = positionals.every((id) => z.uuid().safeParse(id).success)
    return valid && values.dead === (positionals.length === 0) ? { ids: positionals, ...values } : null
  } catch {
    return null
  }
}

/** One after the other; true when all of them went back into the queue. */
async function requeueNamed(db: Database, ids: readonly string[], reason: string): Promise<boolean> {
  let good = true
  for (const job_id of ids) {
    const outcome = await requeueJob({ db }, { job_id, reason }, OWNER)
    say(`${job_id}  ${outcome.ok ? outcome.value.status : outcome.refusal.message}`)
    good &&= outcome.ok
  }
  return good
}

/** In batches, each in a commit of its own. */
async function requeueDead(db: Database, reason: string): Promise<void> {
  const dead = sql`o.job_id IN (SELECT job_id FROM job WHERE status = ${state(jobMachine, 'DEAD')} ORDER BY job_id LIMIT ${BATCH})`
  let total = 0
  for (;;) {
    const moved = await operateJobs(db, 'requeue', dead, { reason, caller: OWNER })
    total += moved.length
    if (moved.length === 0) break
  }
  say(total === 0 ? 'No job is dead.' : `${total} dead jobs are in the queue again.`)
}

const wanted = asked()
if (!wanted) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 2
} else {
  try {
    const database = openDatabase(loadEnv().DATABASE_URL, { name: 'garden-bloom-requeue', connections: 1 })
    try {
      if (wanted.dead) await requeueDead(database, wanted.reason)
      else if (!(await requeueNamed(database, wanted.ids, wanted.reason))) process.exitCode = 1
    } finally {
      await database.close()
    }
  } catch (error) {
    process.stderr.write(
      `${error instanceof EnvFault ? error.message : `Nothing was requeued: ${String(error)}`}\n`,
    )
    process.exitCode = 1
  }
}
