import { chmod, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { EdgeFault } from '../fault.ts'
import { backUp, behindLinks, readIfThere, replaceFile } from '../files/replace-file.ts'

/** What became of the file: `backup` is where the content of before lies, null where there was none. */
export type Written = { changed: boolean; backup: string | null }

/**
 * Replaces a file with keys by what `change` makes of it, mode 0600, in a folder of this account. What stood there is kept beside it first.
 * One command at a time: two that come together each find what the other wrote.
 */
export async function rewritePrivately(
  named: string,
  now: Date,
  change: (before: string) => string,
): Promise<Written> {
  try {
    const file = await behindLinks(named)
    const folder = path.dirname(file)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = { path: path.join(folder, `.${path.basename(file)}.lock`), staging: folder }
    return await withFileLock(lock, () => rewrite(file, now, change))
  } catch (error) {
    if (error instanceof EdgeFault) throw error
    const { code } = error as NodeJS.ErrnoException
    const why =
      error instanceof StorageUnavailable ? error.message : `cannot be written (${code ?? 'unknown fault'})`
    throw new EdgeFault(`${named}: ${why}`, { cause: error })
  }
}

async function rewrite(file: string, now: Date, change: (before: string) => string): Promise<Written> {
  const before = await readIfThere(file)
  const after = change(before?.toString('utf8') ?? '')
  if (before?.equals(Buffer.from(after))) {
    if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
    return { changed: false, backup: null }
  }
  const backup = before === null ? null : await backUp(file, before, now)
  await replaceFile(file, after, 0o600)
  return { changed: true, backup }
}
