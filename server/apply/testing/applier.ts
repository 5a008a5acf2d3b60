/**
 * An applier as a process of its own, for tests that kill it: `applier.ts <folder> <address of the ledger> <mode>`. It runs the product's engine
 * with a checkpoint that ends the process by SIGKILL, as a power cut would.
 *
 * `at:<checkpoint>` dies the first time it comes there; `chance:<moved>:<other>` dies there with these chances in a thousand and
 * otherwise works until nothing is left to apply.
 */
import { setTimeout as rest } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { openKit } from '#server/proposals/testing/garden-kit.ts'
import { applyDue, recoverApplying } from '../apply-due.ts'
import type { Checkpoint } from '../engine.ts'

const [folder = '', url = '', mode = ''] = process.argv.slice(2)
const [kind, first = '', second = ''] = mode.split(':')

const dies = (name: Checkpoint): boolean => {
  if (kind === 'at') return name === first
  return Math.random() * 1_000 < Number(name === 'moved' ? first : second)
}

const kit = await openKit(folder, { webUrl: url, workerUrl: url })
const engine = kit.engine({
  checkpoint: (name) => {
    if (dies(name)) process.kill(process.pid, 'SIGKILL')
  },
})
const left = async () => {
  const { rows } = await kit.db.query<{ n: number }>(
    sql`SELECT count(*) AS n FROM proposal WHERE status IN ('APPROVED', 'APPLYING')`,
  )
  return rows[0]?.n ?? 0
}
await recoverApplying(engine)
while ((await left()) > 0) {
  const { handled } = await applyDue(engine)
  const recovered = await recoverApplying(engine)
  if (handled + recovered === 0) await rest(20)
}
await kit.close()
