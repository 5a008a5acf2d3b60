import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { EdgeFault } from '../fault.ts'
import { readIfThere, replaceFile } from '../files/replace-file.ts'
import { hookScripts, MARKER } from './hook-scripts.ts'

/** Writes all scripts into the folder, mode 0755. A file that is not ours is refused before any is written. Returns the paths. */
export async function installScripts(bin: string, program: readonly string[]): Promise<string[]> {
  const scripts = Object.entries(hookScripts(program)).map(([name, text]) => ({
    file: path.join(bin, name),
    text,
  }))
  for (const { file } of scripts) {
    const there = await readIfThere(file)
    if (there && !isOurs(there))
      throw new EdgeFault(
        `${file} was not written by membridge: rename it, or choose another folder with --bin`,
      )
  }
  try {
    await mkdir(bin, { recursive: true })
    for (const { file, text } of scripts) await replaceFile(file, text, 0o755)
  } catch (error) {
    throw new EdgeFault(`${bin} cannot be written (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
  return scripts.map(({ file }) => file)
}

/** Takes away the scripts that were written by us; others of the same name are left and named. */
export async function removeScripts(bin: string): Promise<{ removed: string[]; left: string[] }> {
  const removed: string[] = []
  const left: string[] = []
  for (const name of Object.keys(hookScripts([]))) {
    const file = path.join(bin, name)
    const there = await readIfThere(file)
    if (there === null) continue
    if (isOurs(there)) await rm(file, { force: true })
    ;(isOurs(there) ? removed : left).push(file)
  }
  return { removed, left }
}

const isOurs = (content: Buffer): boolean => content.toString('utf8').split('\n').includes(MARKER)
