import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { isAlive } from '#server/launch/process-identity.mjs'

/** How the names of such files begin that hold what an undone pull met in the database's place (put-back.ts). */
export const UNEXPECTED = 'unexpected'

/**
 * Which safety backups go [edge#backups].
 *
 * A backup that holds observations which the remote copy lacked, or more rows of another table, is pinned: only a person removes it. So is
 * one whose manifest cannot be read, since not knowing is no reason to delete, and one with a file of `UNEXPECTED`. Of the others those go
 * that are older than the limit in days, and the oldest beyond the limit in number; none but those of `removable`.
 * Older nodes wrote `local_ahead` as true or false, and no `tables_ahead`; all forms are read.
 */
export type Retention = {
  maxDays: number
  maxCount: number
  /** Names of the backups that may go; all by default. */
  removable?: readonly string[]
}
export type RetentionReport = { removed: string[]; kept: string[]; pinned: string[] }

const BACKUP = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-\d+)?$/
const UNFINISHED = /^\.(?:partial|removing)-(\d+)-/
const DAY_MS = 86_400_000
const MANIFEST = z.object({
  local_ahead: z.union([z.number(), z.boolean()]),
  tables_ahead: z.record(z.string(), z.number()).default({}),
})

/** The names of all backups, oldest first. */
export const backupNames = async (root: string): Promise<string[]> =>
  (await readdir(root).catch(() => [])).filter((name) => BACKUP.test(name)).sort()

/** Removes what the limits allow; a folder that is not a backup is left alone. */
export async function removeOldBackups(
  root: string,
  { maxDays, maxCount, removable }: Retention,
  now: Date,
): Promise<RetentionReport> {
  const names = (await readdir(root).catch(() => [])).sort()
  await removeUnfinished(root, names)
  const report: RetentionReport = { removed: [], kept: [], pinned: [] }
  const free: string[] = []
  for (const name of names.filter((name) => BACKUP.test(name)))
    ((await isPinned(join(root, name))) ? report.pinned : free).push(name)
  const oldest = now.getTime() - maxDays * DAY_MS
  for (const [index, name] of free.entries()) {
    const mayGo = removable?.includes(name) ?? true
    const expired = mayGo && (timeOf(name) < oldest || free.length - index > maxCount)
    if (expired) await removeBackup(join(root, name))
    ;(expired ? report.removed : report.kept).push(name)
  }
  return report
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second] = BACKUP.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

async function isPinned(folder: string): Promise<boolean> {
  try {
    if ((await readdir(folder)).some((name) => name.startsWith(UNEXPECTED))) return true
    const text = await readFile(join(folder, 'manifest.json'), 'utf8')
    const { local_ahead, tables_ahead } = MANIFEST.parse(JSON.parse(text))
    return Number(local_ahead) > 0 || Object.values(tables_ahead).some((rows) => rows > 0)
  } catch {
    return true
  }
}

/** Takes the dated name away first: a backup that is half removed must not look whole. */
export async function removeBackup(folder: string): Promise<void> {
  const removing = join(dirname(folder), `.removing-${process.pid}-${basename(folder)}`)
  await rename(folder, removing)
  await rm(removing, { recursive: true, force: true })
}

async function removeUnfinished(root: string, names: string[]): Promise<void> {
  for (const name of names) {
    const pid = Number(UNFINISHED.exec(name)?.[1] ?? Number.NaN)
    if (Number.isInteger(pid) && !isAlive(pid)) await rm(join(root, name), { recursive: true, force: true })
  }
}
