import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Refused } from '#domain/kernel/errors.ts'
import type { ByteSource, ByteTally } from './byte-source.ts'

/**
 * The object store: the authority for canonical objects [adapters#object-store].
 *
 * Two adapters stand behind it, a directory and S3; both pass the one suite of `server/launch/testing/object-store.suite.ts`.
 * Every write is conditional, so a repeat of a write is always safe. A write whose answer was lost is read back before
 * anything is reported: bytes that already stand under the key count as success. Writers that must know that *they* won
 * put a nonce into the bytes. Failure is never taken for absence: only a definite "not there" is `null`.
 *
 * Objects of any size go by `createFrom`, `replaceFrom`, `read` and `open`, which hold a few parts of 8 MiB in memory and no more
 * [adapters#streams]. A streamed write becomes visible as a whole or not at all, and leaves nothing when it fails.
 */
export interface ObjectStore {
  /**
   * Create-only. Equal content under the key is success with `created: false` (also when it is unknown who made it).
   * Throws `ObjectConflict` for other content and `StorageUnavailable` when the outcome is not known.
   */
  create(key: string, bytes: Uint8Array, contentType?: string): Promise<{ created: boolean; etag: string }>
  /**
   * As `create`, for many objects, in the time of few: what it returns stands as durably. A conflict is told of its object alone; the others are
   * made. Gives, in order, what became of each. Throws before anything is written when a key is not allowed, and `StorageUnavailable` when
   * the outcome of any is not known; then any of them may stand. The bytes of all are in memory: many means some hundred small ones.
   */
  createMany(objects: readonly NewObject[]): Promise<Creation[]>
  /**
   * Compare-and-set. `ifMatch: null` means "must not exist"; equal content already there is success.
   * Throws `ObjectConflict` when the etag is stale and `StorageUnavailable` when the outcome is not known.
   */
  replace(
    key: string,
    bytes: Uint8Array,
    ifMatch: string | null,
    contentType?: string,
  ): Promise<{ etag: string }>
  /** As `create`, from a stream. Throws `SourceFailed` when the source breaks or is not what it announced. */
  createFrom(
    key: string,
    source: ByteSource,
    contentType?: string,
  ): Promise<StreamedWrite & { created: boolean }>
  /** As `replace`, from a stream. Throws `SourceFailed` when the source breaks or is not what it announced. */
  replaceFrom(
    key: string,
    source: ByteSource,
    ifMatch: string | null,
    contentType?: string,
  ): Promise<StreamedWrite>
  /**
   * Makes `to` hold what `from` holds, within the store, whatever stood there: for copies that readers check by a digest of
   * their own, never for what is fenced. Throws `ObjectConflict` when `from` does not have this etag.
   */
  copy(from: string, to: string, etag: string): Promise<{ etag: string }>
  /** The object, or `null` only on a definite absence; anything else throws `StorageUnavailable`. */
  get(key: string): Promise<StoredObject | null>
  /**
   * The object as a stream, or `null` only on a definite absence. The stream must be read to its end or destroyed. It fails
   * with `ArtifactCorrupt` at its end when the digest is another, and with `StorageUnavailable` when it was cut off.
   */
  read(key: string, sha256: string): Promise<ObjectStream | null>
  /** As `read`, for a copy that is given a digest of its own: the stream fails only when it was cut off. */
  open(key: string): Promise<Omit<ObjectStream, 'etag'> | null>
  /**
   * The object (`null` only on a definite absence), when it was last written, and the store's time of this answer, both by
   * the store's clock [adapters#time-of-the-store]. `storeTime` is never before the object was read. Both are good to 2 s: S3 tells
   * whole seconds, a directory is dated by its file system.
   */
  observe(key: string): Promise<Observation>
  /** Etag, bytes and date of last write, or `null` only on a definite absence. */
  head(key: string): Promise<ObjectHead | null>
  /** Keys below the prefix in byte order, after `after`, at most `limit` (1 000); `next` continues as `after`. */
  list(
    prefix: string,
    options?: { after?: string; limit?: number },
  ): Promise<{ keys: string[]; next: string | null }>
  /** Only for the sweep of unreferenced objects, retention, and files that are published anew; an absent key is success. */
  remove(key: string): Promise<void>
  /** Tests on scratch keys whether the store honours conditions [adapters#probe] and removes what it wrote. */
  probe(): Promise<ProbeReport>
}

export type NewObject = { key: string; bytes: Uint8Array; contentType?: string }
/** What became of one of many: what `create` answers, or what it would have thrown. */
export type Creation = { created: boolean; etag: string } | { conflict: ObjectConflict }
export type StoredObject = { key: string; bytes: Uint8Array; etag: string }
export type StreamedWrite = ByteTally & { etag: string }
export type ObjectStream = { key: string; size: number; etag: string; stream: Readable }
export type Observation = { object: (StoredObject & { modified: Date }) | null; storeTime: Date }
export type ObjectHead = { etag: string; size: number; modified: Date }
/**
 * One check of a probe. `undecided` is set where it tells nothing of the store: it gave `no answer`, it `refused` the call
 * (for want of a right or of the bucket, say), or the probe had ended by then (`not reached`).
 */
export type ProbeCheck = {
  name: string
  ok: boolean
  detail?: string
  undecided?: 'no answer' | 'refused' | 'not reached'
}
/** `ok` is true when every check passed; a store that is not ok is refused for leadership and locks. */
export type ProbeReport = { ok: boolean; store: string; checks: ProbeCheck[] }

/** Other content stands under the key, or the etag is stale. The write changed nothing. */
export class ObjectConflict extends Error {
  readonly key: string
  constructor(key: string, message = `the object ${key} holds other content`) {
    super(message)
    this.name = 'ObjectConflict'
    this.key = key
  }
}

/** The store did not answer, or not in a way that decides the question. Repeating is safe (503, retryable). */
export class StorageUnavailable extends Refused {
  /** True only when it is known that nothing was done, and a repeat would fare alike: for want of a right, say. */
  readonly refused: boolean
  constructor(message: string, options?: { cause?: unknown; refused?: boolean }) {
    super('STORAGE_UNAVAILABLE', message)
    this.name = 'StorageUnavailable'
    this.refused = options?.refused ?? false
    if (options?.cause !== undefined) this.cause = options.cause
  }
}

/** The bytes under a content address do not have that digest; they are never served (502). */
export class ArtifactCorrupt extends Refused {
  constructor(key: string, expected: string, actual: string) {
    super('ARTIFACT_CORRUPT', `the stored object ${key} does not match its digest`, { key, expected, actual })
    this.name = 'ArtifactCorrupt'
  }
}

/** SHA-256 of the bytes (or of the UTF-8 of a string) as 64 lower-case hex digits. */
export const sha256Hex = (data: Uint8Array | string): string =>
  createHash('sha256').update(data).digest('hex')

const addressed = (folder: string, digest: string): string => {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new TypeError('a content address needs 64 lower-case hex digits')
  return `${folder}/sha256/${digest}`
}

/** `artifacts/sha256/<digest>`, the content address of an artifact document. */
export const casKey = (digest: string): string => addressed('artifacts', digest)

/** `contexts/sha256/<digest>.json`, the content address of a context snapshot. */
export const contextKey = (digest: string): string => `${addressed('contexts', digest)}.json`

/** What lies under these is named by its content and written before the row that refers to it. */
export const CONTENT_ADDRESSED = ['artifacts/sha256/', 'contexts/sha256/'] as const

/** Reads an object and checks its digest; `null` on a definite absence, `ArtifactCorrupt` on any other bytes. */
export async function getVerified(
  store: Pick<ObjectStore, 'get'>,
  key: string,
  sha256: string,
): Promise<Uint8Array | null> {
  const object = await store.get(key)
  if (!object) return null
  const actual = sha256Hex(object.bytes)
  if (actual !== sha256) throw new ArtifactCorrupt(key, sha256, actual)
  return object.bytes
}

const COMPONENT = /^[^\p{Cc}\p{Cs}\\]+$/u

/**
 * Checks a key and returns it: relative, NFC, ≤ 1 024 bytes, components of ≤ 255 bytes, none empty, `.` or `..`,
 * no control character and no backslash. Throws `Refused` with `PATH_NOT_ALLOWED`; both adapters use this one rule.
 */
export function parseObjectKey(key: string): string {
  const refuse = (why: string): never => {
    throw new Refused('PATH_NOT_ALLOWED', `not an object key: ${why}`)
  }
  if (typeof key !== 'string' || key.length === 0) return refuse('it is empty')
  if (Buffer.byteLength(key) > 1024) return refuse('longer than 1 024 bytes')
  if (key !== key.normalize('NFC')) return refuse('not in normal form C')
  for (const part of key.split('/')) {
    if (part === '' || part === '.' || part === '..') return refuse('an empty or dotted component')
    if (!COMPONENT.test(part)) return refuse('a character that keys may not hold')
    if (Buffer.byteLength(part) > 255) return refuse('a component longer than 255 bytes')
  }
  return key
}
