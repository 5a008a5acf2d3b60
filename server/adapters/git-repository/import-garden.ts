import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { TextDecoder } from 'node:util'
import git from 'isomorphic-git'
import { fileKey, pathFault } from '#domain/garden/garden-path.ts'
import { IMPORT_REPORT, type LeftOut, type LeftOutReason } from '#domain/garden/left-out.rules.ts'
import { MAX_NOTE_BYTES } from '#domain/garden/note-text.rules.ts'
import { makeFolder } from '#server/adapters/file-system/durable-file.ts'
import type { Person } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { readBranch, updateBranchFile } from './branch-file.ts'
import { GitObjects, stagingOf } from './git-objects.ts'
import { changeTree } from './git-trees.ts'
import { ObjectDraft } from './object-draft.ts'
import { makeBeside } from './whole-repository.ts'

/**
 * Turns a folder of notes into a bare repository of our own, with one first commit. The folder is only read.
 *
 * Taken are plain text files (UTF-8, ≤ 1 MiB) under garden paths, names and texts byte for byte. Left out, and listed with the reason
 * in the answer and in the commit, are symbolic links, hidden files, other files, and names that are no garden paths or that are one
 * file with another on some file systems. A repeat finds the
 * branch and does nothing; a kill before the repository was whole leaves nothing in its place (whole-repository.ts), and the
 * repeat starts again; of two imports side by side one makes the repository and the other finds it.
 */
export type ImportReport = { created: boolean; head: string; files: number; leftOut: LeftOut[] }
export type ImportOptions = {
  author: Person
  message?: string
  /** Files added to the first commit where the folder has none of that path. */
  extraFiles?: readonly { path: string; content: string }[]
}

type Scan = { files: { path: string; blob: string }[]; leftOut: LeftOut[]; keys: Set<string> }

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

export async function importGarden(
  source: string,
  gitdir: string,
  options: ImportOptions,
): Promise<ImportReport> {
  const standing = await readBranch(gitdir)
  if (standing !== null) return { created: false, head: standing, files: 0, leftOut: [] }
  const scan: Scan = { files: [], leftOut: [], keys: new Set() }
  const created = await makeBeside(gitdir, (fresh) => fill(fresh, scan, source, options))
  const head = await readBranch(gitdir)
  if (head === null) throw new StorageUnavailable('the imported garden has no branch')
  return { created, head, files: created ? scan.files.length : 0, leftOut: created ? scan.leftOut : [] }
}

/** Makes an empty folder a repository with the one first commit. */
async function fill(gitdir: string, scan: Scan, source: string, options: ImportOptions): Promise<void> {
  const { promises: fs } = await import('node:fs')
  await git.init({ fs: { promises: fs }, gitdir, bare: true, defaultBranch: 'main' })
  await makeFolder(stagingOf(gitdir))
  const objects = new ObjectDraft(new GitObjects(gitdir), gitdir)
  await scanFolder(objects, scan, await realpath(source), '')
  await addExtras(objects, scan, [...(options.extraFiles ?? []), ...reportOf(scan.leftOut)])
  const tree = await changeTree(objects, null, scan.files)
  const { author, message = 'Import of the garden' } = options
  const commit = await objects.writeCommit({ tree, parents: [], message, author, committer: author })
  await objects.flush()
  await updateBranchFile(gitdir, null, commit)
}

/** Names that are not UTF-8 can be read as bytes alone, and are named as far as they can be. */
async function scanFolder(objects: ObjectDraft, scan: Scan, root: string, folder: string): Promise<void> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, encoding: 'buffer' })
  for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
    const name = entry.name.toString('utf8')
    const path = `${folder}${name}`
    const reason = Buffer.from(name).equals(entry.name)
      ? faultOf(scan, { path, name }, entry)
      : 'not_utf8_name'
    if (reason !== null) scan.leftOut.push({ path, reason })
    else if (entry.isDirectory()) await scanFolder(objects, scan, root, `${path}/`)
    else await takeFile(objects, scan, join(root, path), path)
  }
}

type Kind = { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }

function faultOf(scan: Scan, at: { path: string; name: string }, entry: Kind): LeftOutReason | null {
  if (entry.isSymbolicLink()) return 'symlink'
  if (!entry.isFile() && !entry.isDirectory()) return 'not_file'
  const fault = pathFault(at.path)
  if (fault) return fault
  if (at.name.startsWith('.')) return 'hidden'
  if (scan.keys.has(fileKey(at.path))) return 'twin'
  scan.keys.add(fileKey(at.path))
  return null
}

async function takeFile(objects: ObjectDraft, scan: Scan, file: string, path: string): Promise<void> {
  const handle = await open(file, READ)
  try {
    const { size } = await handle.stat()
    if (size > MAX_NOTE_BYTES) return void scan.leftOut.push({ path, reason: 'too_large' })
    const bytes = new Uint8Array(await handle.readFile())
    if (!isText(bytes)) return void scan.leftOut.push({ path, reason: 'not_text' })
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

async function addExtras(objects: ObjectDraft, scan: Scan, extras: NonNullable<ImportOptions['extraFiles']>) {
  for (const { path, content } of extras) {
    if (scan.keys.has(fileKey(path))) continue
    scan.files.push({ path, blob: await objects.writeBlob(content) })
  }
}

/** Names in the commit; a garden of pictures would list them all. */
const MAX_NAMES = 2_000

function reportOf(leftOut: readonly LeftOut[]): { path: string; content: string }[] {
  if (leftOut.length === 0) return []
  const report = { left_out: leftOut.slice(0, MAX_NAMES), not_named: Math.max(0, leftOut.length - MAX_NAMES) }
  return [{ path: IMPORT_REPORT, content: `${JSON.stringify(report, null, 1)}\n` }]
}
