/** What a task ended with, kept until it is reported or its lease is over: `~/.membridge/outcomes/<lease>.json`, mode 0600. After that it is worthless. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { replaceFile } from '../files/replace-file.ts'
import type { Host } from '../host.ts'

const OUTCOME = z.object({
  taskId: z.string(),
  leaseId: z.uuid(),
  fence: z.number(),
  /** Where it is reported, when the node was called for it. */
  runtimeUrl: z.string().optional(),
  /** Epoch milliseconds by the clock of this node; a later end than the lease has does no harm. */
  leaseUntil: z.number(),
  report: z.record(z.string(), z.unknown()),
})
export type Outcome = z.infer<typeof OUTCOME>

const folderOf = ({ home }: Pick<Host, 'home'>): string => path.join(home, '.membridge/outcomes')
const fileOf = (host: Pick<Host, 'home'>, leaseId: string): string =>
  path.join(folderOf(host), `${leaseId}.json`)

export async function keepOutcome(host: Pick<Host, 'home'>, outcome: Outcome): Promise<void> {
  await mkdir(folderOf(host), { recursive: true, mode: 0o700 })
  await replaceFile(fileOf(host, outcome.leaseId), JSON.stringify(outcome), 0o600)
}

export const forgetOutcome = (host: Pick<Host, 'home'>, leaseId: string): Promise<void> =>
  rm(fileOf(host, leaseId), { force: true })

/** Those whose lease is not over; what is over, or cannot be understood, is removed. */
export async function keptOutcomes(host: Pick<Host, 'home'>, now: number): Promise<Outcome[]> {
  const names = await readdir(folderOf(host)).catch(() => [])
  const kept: Outcome[] = []
  for (const name of names) {
    const file = path.join(folderOf(host), name)
    const outcome = OUTCOME.safeParse(
      await readFile(file, 'utf8')
        .then(JSON.parse)
        .catch(() => null),
    )
    if (outcome.success && outcome.data.leaseUntil > now) kept.push(outcome.data)
    else await rm(file, { force: true })
  }
  return kept
}
