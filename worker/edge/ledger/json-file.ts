import { chmod, mkdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { z } from 'zod'
import { renameInto, stage, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault } from '../fault.ts'

/**
 * The node's own small files: one JSON value each, written aside, flushed and renamed, so that a reader meets the old or the new
 * value [edge#ledger].
 *
 * A file that does not hold what it should is never overwritten: it is set aside under a name with the time, and reported. Not
 * being able to read a file is not the same as its absence, and is a fault.
 */
export type JsonRead<T> = { state: 'absent' } | { state: 'corrupt' } | { state: 'read'; value: T }

export async function readJsonFile<S extends z.ZodType>(
  path: string,
  schema: S,
): Promise<JsonRead<z.infer<S>>> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { state: 'absent' }
    throw new EdgeFault(`${path} cannot be read (${code}): check its rights`, { cause: error })
  }
  try {
    return { state: 'read', value: schema.parse(JSON.parse(text)) }
  } catch {
    return { state: 'corrupt' }
  }
}

/** Writes the value so that it survives a power cut; folder and file are for this account alone. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify(value, null, 2)}\n`
  const staged = await stage(folder, text)
  await chmod(staged, 0o600)
  await renameInto(staged, path)
  await syncFolder(folder)
}

/** Renames a corrupt file to `<name>.corrupt-<time>` and returns that path. */
export async function setAside(path: string, now: Date): Promise<string> {
  const stamp = now.toISOString().replace(/[-:.]/g, '')
  const kept = join(dirname(path), `${basename(path)}.corrupt-${stamp}`)
  await rename(path, kept)
  await syncFolder(dirname(path))
  return kept
}
