import { chmod, constants, copyFile, mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { z } from 'zod'
import { discard, renameInto, stage, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault } from '../fault.ts'
import { syncFile } from '../sqlite/temporary-file.ts'

/**
 * The node's own small files: one JSON value each, written aside, flushed and renamed, so that a reader meets the old or the new
 * value [edge#ledger].
 *
 * A file that does not hold what it should is never overwritten before it was copied under a name with the time, and is reported.
 * It stays in its place until the new one takes it, so that no reader meets an absent file in between. Not being able to read a file is not the same as its absence, and is a fault.
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

/**
 * Writes the value so that it survives a power cut; folder and file are for this account alone. With `corruptAt`, the file that
 * stands there is kept as `<name>.corrupt-<time>` first; returns that path, else null.
 */
export async function writeJsonFile(
  path: string,
  value: unknown,
  { corruptAt = null }: { corruptAt?: Date | null } = {},
): Promise<string | null> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const text = `${JSON.stringify(value, null, 2)}\n`
  const staged = await stage(folder, text)
  let kept: string | null
  try {
    await chmod(staged, 0o600)
    kept = corruptAt && (await keepCorrupt(path, corruptAt))
  } catch (error) {
    await discard(staged)
    throw error
  }
  await renameInto(staged, path)
  await syncFolder(folder)
  return kept
}

async function keepCorrupt(path: string, at: Date): Promise<string> {
  const stamp = at.toISOString().replace(/[-:.]/g, '')
  const kept = join(dirname(path), `${basename(path)}.corrupt-${stamp}`)
  await copyFile(path, kept, constants.COPYFILE_EXCL)
  await syncFile(kept)
  return kept
}
