import { open, readFile, realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import { renameInto, stagedName, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import { EdgeFault } from '../fault.ts'

/**
 * Files of the person's that a command edits: read, copied aside, then replaced as a whole, so that neither a kill nor a full disk leaves a
 * half [edge#files].
 *
 * The mode is given when the file is made: a file with keys is never readable by others, not even for a moment.
 */
export async function readIfThere(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new EdgeFault(`${file} cannot be read (${code}): check its rights`, { cause: error })
  }
}

/** Where the content really lies: a link is followed, so that replacing the file leaves the link. */
export async function behindLinks(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return file
    throw error
  }
}

/** Puts a new file with that mode in the place of the old one; survives a power cut once it has settled. */
export async function replaceFile(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const folder = path.dirname(file)
  const staged = path.join(folder, `.${path.basename(file)}.${stagedName()}`)
  await writeNew(staged, content, mode)
  await renameInto(staged, file)
  await syncFolder(folder)
}

/** Keeps the content under `<file>.<YYYYMMDD-HHMMSS>` (UTC), mode 0600; a taken name gets a number. Returns the path. */
export async function backUp(file: string, content: Uint8Array, now: Date): Promise<string> {
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')
  for (let number = 1; ; number++) {
    const kept = `${file}.${stamp}${number === 1 ? '' : `-${number}`}`
    try {
      await writeNew(kept, content, 0o600)
      return kept
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function writeNew(file: string, content: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(file, 'wx', mode)
  try {
    await handle.chmod(mode)
    await handle.writeFile(content)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await rm(file, { force: true })
    throw error
  }
  await handle.close()
}
