import { join } from 'node:path'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { ArchiveEntry } from './read-archive.ts'
import type { ArchiveWriter } from './write-archive.ts'

const FOLDER = 'garden.git/'
const BRANCH = 'refs/heads/main'

/** What a copy needs of the repository beyond its port. */
export type GardenFiles = {
  gitdir: string
  /** Runs `work` while nobody moves the branch. */
  whileBranchStands<T>(work: (head: string) => Promise<T>): Promise<T>
  /** Names of all objects and references but the branch. */
  files(): Promise<string[]>
}

export const isGardenEntry = (name: string): boolean => name.startsWith(FOLDER)
export const gardenName = (entry: Pick<ArchiveEntry, 'name'>): string => entry.name.slice(FOLDER.length)

/** Adds the repository with its branch at `head`. Objects that come later may be in it, too; nothing refers to them. */
export async function dumpGarden(garden: GardenFiles, archive: ArchiveWriter, head: string): Promise<void> {
  const names = await garden.files()
  for (const name of names) await archive.addFile(`${FOLDER}${name}`, join(garden.gitdir, name))
  await archive.add(`${FOLDER}${BRANCH}`, Buffer.from(`${head}\n`))
  const after = new Set(await garden.files())
  const gone = names.find((name) => !after.has(name))
  if (gone) throw new Error(`The garden was repacked meanwhile (${gone} is gone): make the backup again`)
}

/** Commits of the branch and files at its end; reads each of those files, so it throws when one is not whole. */
export async function measureGarden(
  garden: Pick<GitRepository, 'log' | 'list' | 'read'>,
  head: string,
): Promise<{ head: string; commits: number; files: number }> {
  const commits = await garden.log({ from: head })
  const files = await garden.list(head)
  for (const { path } of files) await garden.read(path, head)
  return { head, commits: commits.length, files: files.length }
}
