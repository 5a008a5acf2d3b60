import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { TextDecoder } from 'node:util'
import git from 'isomorphic-git'
import { foldName, parseGardenPath } from '#domain/garden/garden-path.ts'
import { MAX_NOTE_BYTES } from '#domain/garden/note-text.rules.ts'
import { makeFolder } from '#server/adapters/file-system/durable-file.ts'
import type { Person } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { readBranch, updateBranchFile } from './branch-file.ts'
import { GitObjects, stagingOf } from './git-objects.ts'
import { changeTree } from './git-trees.ts'

/**
 * Turns a folder of notes into a bare repository of our own, with one first commit. The folder is only read.
 *
 * Taken are plain text files (UTF-8, ≤ 1 MiB) under garden paths, byte for byte. Left out, and listed with the reason, are
 * symbolic links, hidden files, other files, and names that are no garden paths or that fold alike. A repeat finds the
 * branch and does nothing; a kill before the branch was made leaves loose objects, and the repeat starts again; of two
 * imports side by side one makes the branch and the other finds it.
 */
export type LeftOut = { path: string; reason: string }
export type ImportReport = { created: boolean; head: string; files: number; leftOut: LeftOut[] }
export type ImportOptions = {
  author: Person
  message?: string
  /** Files added to the first commit where the folder has none of that path. */
  extraFiles?: readonly { path: string; content: string }[]
}

type Scan = { files: { path: string; blob: string }[]; leftOut: LeftOut[]; folds: Set<string> }

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

export async function importGarden(
  source: string,
  gitdir: string,
  options: ImportOptions,
): Promise<ImportReport> {
  await makeFolder(stagingOf(gitdir))
  const standing = await readBranch(gitdir)
  if (standing !== null) return { created: false, head: standing, files: 0, leftOut: [] }
  const { promises: fs } = await import('node:fs')
  await git.init({ fs: { promises: fs }, gitdir, bare: true, defaultBranch: 'main' })
  const objects = new GitObjects(gitdir)
  const scan: Scan = { files: [], leftOut: [], folds: new Set() }
  await scanFolder(objects, scan, await realpath(source), '')
  await addExtras(objects, scan, options.extraFiles ?? [])
  const tree = await changeTree(objects, null, scan.files)
  const { author, message = 'Import of the garden' } = options
  const commit = await objects.writeCommit({ tree, parents: [], message, author, committer: author })
  const created = await updateBranchFile(gitdir, null, commit)
  const head = await readBranch(gitdir)
  if (head === null) throw new StorageUnavailable('the imported garden has no branch')
  return { created, head, files: created ? scan.files.length : 0, leftOut: created ? scan.leftOut : [] }
}

async function scanFolder(objects: GitObjects, scan: Scan, root: string, folder: string): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  for (const entry of entries.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))) {
    const at = `${folder}${entry.name}`
    const path = at.normalize('NFC')
    const reason = faultOf(scan, path, entry)
    if (reason !== null) scan.leftOut.push({ path, reason })
    else if (entry.isDirectory()) await scanFolder(objects, scan, root, `${at}/`)
    else await takeFile(objects, scan, join(root, at), path)
  }
}

type Named = { name: string; isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }

function faultOf(scan: Scan, path: string, entry: Named): string | null {
  if (entry.isSymbolicLink()) return 'a symbolic link'
  if (!entry.isFile() && !entry.isDirectory()) return 'not a plain file'
  const parsed = parseGardenPath(path)
  if (!parsed.ok) return parsed.refusal.message
  if (entry.name.startsWith('.')) return 'hidden'
  if (scan.folds.has(foldName(path))) return 'a name that differs from another in letter case alone'
  scan.folds.add(foldName(path))
  return null
}

async function takeFile(objects: GitObjects, scan: Scan, file: string, path: string): Promise<void> {
  const handle = await open(file, READ)
  try {
    const { size } = await handle.stat()
    if (size > MAX_NOTE_BYTES) return void scan.leftOut.push({ path, reason: 'longer than 1 MiB' })
    const bytes = new Uint8Array(await handle.readFile())
    if (!isText(bytes)) return void scan.leftOut.push({ path, reason: 'not a text' })
    scan.files.push({ path, blob: await objects.writeBlob(bytes) })
  } finally {
    await handle.close()
  }
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).includes('\0')
  } catch {
    return false
  }
}

async function addExtras(objects: GitObjects, scan: Scan, extras: NonNullable<ImportOptions['extraFiles']>) {
  for (const { path, content } of extras) {
    if (scan.folds.has(foldName(path))) continue
    scan.files.push({ path, blob: await objects.writeBlob(content) })
  }
}
