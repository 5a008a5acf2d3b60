/**
 * The private folder of a task [edge#work]: the definition of its agent, and an empty place to run in where it has no project. It goes with the task; what a killed node left
 * goes when a node starts after the longest time that a task can take.
 */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const PREFIX = 'bloom-task-'
/** An hour at most, and what follows it. */
const LEFT_AFTER_MS = 2 * 3_600_000

/** Of this account alone. */
export const makeTaskFolder = (): Promise<string> => mkdtemp(path.join(tmpdir(), PREFIX))

export const removeTaskFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true })

/** By a file of this account alone: arguments are visible to everybody and limited in size. */
export async function definitionArguments(folder: string, definition: string | undefined): Promise<string[]> {
  if (!definition) return []
  const file = path.join(folder, 'definition.md')
  await writeFile(file, definition, { mode: 0o600, flag: 'wx' })
  return ['--append-system-prompt-file', file]
}

export async function emptyFolder(folder: string): Promise<string> {
  const empty = path.join(folder, 'empty')
  await mkdir(empty)
  return empty
}

/** Folders of other nodes that work here are younger, those of other accounts stay. */
export async function removeLeftFolders(within = tmpdir()): Promise<void> {
  for (const name of await readdir(within).catch(() => []))
    if (name.startsWith(PREFIX)) await removeIfLeft(path.join(within, name)).catch(() => {})
}

async function removeIfLeft(folder: string): Promise<void> {
  const { mtimeMs } = await stat(folder)
  if (Date.now() - mtimeMs > LEFT_AFTER_MS) await removeTaskFolder(folder)
}
