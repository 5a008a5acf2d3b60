/**
 * `npm run verify` (server/launch/verify.mjs): chain, signed heads and mirrored objects of the audit, as Audit → Verify chain does. It
 * does the work itself, and joins a verification that a worker is at. Ends with 1 when a fault was found.
 */
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditFault, AuditVerification } from '#contracts/audit.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { advanceVerification } from '#server/audit/advance-verification.ts'
import { getVerification } from '#server/audit/get-verification.query.ts'
import { startVerification } from '#server/audit/start-verification.ts'
import { type Env, EnvFault, loadEnv } from '#server/env.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { openStore } from './open-store.ts'

/** Whoever may run commands on the home's machine. */
const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'system' }
const LOOK_MS = 200

const say = (line: string) => process.stdout.write(`${line}\n`)

async function verify(env: Env, db: Database): Promise<AuditVerification> {
  const parts = { db, env, store: await openStore(env) }
  const holder = `verify:${hostname()}:${process.pid}`
  let current = await startVerification(parts, OWNER)
  let stage = ''
  while (current.finished_at === null) {
    if (current.stage !== stage) say(`  ${current.stage} …`)
    stage = current.stage
    if (!(await advanceVerification(parts, holder))) await pause(LOOK_MS)
    const { newest } = await getVerification(parts)
    if (!newest || newest.verification_id !== current.verification_id) break
    current = newest
  }
  return current
}

const faultLine = ({ stage, problem, seq, event_id, key }: AuditFault): string =>
  [`  ${stage}: ${problem}`, seq !== null && `number ${seq}`, event_id, key].filter(Boolean).join(', ')

function report({
  faults,
  events_checked,
  heads_checked,
  objects_checked,
  waiting,
}: AuditVerification): void {
  say(`${events_checked} events, ${heads_checked} signed heads and ${objects_checked} objects were verified`)
  if (waiting > 0) say(`${waiting} events are not sealed yet; they belong to the next verification`)
  say(faults.length === 0 ? 'The audit is whole.' : `The audit is not whole. ${faults.length} faults:`)
  for (const fault of faults) say(faultLine(fault))
}

try {
  const env = loadEnv()
  const database = openDatabase(env.DATABASE_URL, { name: 'garden-bloom-verify', connections: 2 })
  try {
    const done = await verify(env, database)
    report(done)
    process.exitCode = done.faults.length === 0 ? 0 : 1
  } finally {
    await database.close()
  }
} catch (error) {
  process.stderr.write(
    `${error instanceof EnvFault ? error.message : `The audit couldn't be verified: ${String(error)}`}\n`,
  )
  process.exitCode = 1
}
