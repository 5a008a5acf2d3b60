import { join } from 'node:path'
import type { Outcome } from '#server/adapters/file-system/create-files.ts'
import {
  isAbsent,
  isTaken,
  linkTo,
  makeUnflushed,
  stagedName,
} from '#server/adapters/file-system/durable-file.ts'
import type { FileThread } from '#server/adapters/file-system/file-thread.ts'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { microBatcher } from '#server/concurrency/micro-batcher.ts'
import { type Creation, ObjectConflict, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { digestObject, isInside, type ObjectLocation } from './directory-objects.ts'

/** New objects, one or many. */
export type NewFile = { location: ObjectLocation; bytes: Uint8Array }
export type Staged = { path: string; sha256: string }
/** Where objects are written, the thread that does so for many, and the way to create one alone. */
export type Target = {
  root: string
  staging: string
  thread: FileThread
  createAlone(file: NewFile): Promise<{ created: boolean; etag: string }>
}

const AT_ONCE = 16
const LINKED = 'a link stands in the way of the object'
const BLOCKED = 'a shorter key stands in the way'

/** What became of one of many; `fault` is of its object alone. */
type Made = Creation | { fault: StorageUnavailable }

/**
 * Creates many objects, each as whole, create-only and durable as one alone. Gives, in order, what became of each. Throws when the disk fails, and
 * then any of them may stand.
 */
export async function createTogether(target: Target, files: readonly NewFile[]): Promise<Creation[]> {
  const made = await createEach(target, files)
  return made.map((one) => {
    if ('fault' in one) throw one.fault
    return one
  })
}

async function createEach(target: Target, files: readonly NewFile[]): Promise<Made[]> {
  const outcomes = await target.thread.create({
    root: target.root,
    staged: join(target.staging, stagedName()),
    bytes: joined(files),
    files: files.map(({ location, bytes }) => ({ path: location.path, length: bytes.length })),
  })
  return mapConcurrently(files, AT_ONCE, (file, n) => madeOf(target, file, outcomes[n] as Outcome))
}

/** Larger objects are written as streams and share nothing. */
const SMALL = 64 * 1024

/**
 * Creates one object at a time, together with what others create meanwhile. A batch that fails as a whole is created one by one, so
 * that none suffers from what is wrong with another.
 */
export function createSharing(target: Target): Target['createAlone'] {
  const share = microBatcher((files: NewFile[]) => createEach(target, files))
  return async (file) => {
    if (file.bytes.length > SMALL) return target.createAlone(file)
    const made = await share(file).catch(() => target.createAlone(file))
    if ('fault' in made) throw made.fault
    if ('conflict' in made) throw made.conflict
    return made
  }
}

/** The contents one after another, in memory of their own. */
function joined(files: readonly NewFile[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(files.reduce((sum, { bytes }) => sum + bytes.length, 0))
  let at = 0
  for (const { bytes } of files) {
    whole.set(bytes, at)
    at += bytes.length
  }
  return whole
}

async function madeOf(target: Target, file: NewFile, outcome: Outcome): Promise<Made> {
  const { location, bytes } = file
  if (outcome === 'linked') return { fault: new StorageUnavailable(LINKED) }
  if (outcome === 'blocked') return { conflict: new ObjectConflict(location.key, BLOCKED) }
  const etag = sha256Hex(bytes)
  if (outcome === 'created') return { created: true, etag }
  const standing = await digestObject(location)
  if (standing)
    return standing.etag === etag ? { created: false, etag } : { conflict: new ObjectConflict(location.key) }
  // A folder, or an object that is gone again: by itself it tries more often.
  return target.createAlone(file).catch((error) => {
    if (!(error instanceof ObjectConflict)) throw error
    return { conflict: error }
  })
}

/** Makes the folder of an object; gives the folders to be flushed for it. Throws when a shorter key stands in the way. */
export async function prepareFolder({ key, folder }: ObjectLocation): Promise<string[]> {
  const parents = await makeUnflushed(folder).catch((error) => {
    if (isTaken(error) || isAbsent(error)) throw new ObjectConflict(key, BLOCKED)
    throw error
  })
  if (!(await isInside(folder))) throw new StorageUnavailable(LINKED)
  return parents
}

/** Links new content into place; `false` when equal content stands there already. The folder is to be flushed. */
export async function linkObject(location: ObjectLocation, staged: Staged): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const created = await linkTo(staged.path, location.path)
    const standing = created ? null : await digestObject(location)
    if (!created && !standing) continue
    if (standing && standing.etag !== staged.sha256) throw new ObjectConflict(location.key)
    return created
  }
  throw new ObjectConflict(location.key, `a folder or a fleeting object stands at ${location.key}`)
}
