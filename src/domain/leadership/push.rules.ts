import { type JsonObject, textOf } from './json-fields.ts'
import { MAX_RECENT, type PointerLook } from './pointer-object.ts'

/** What a push says of its snapshot; `fields` are those of the manifest that leadership does not read ([leadership#pointer]). */
export type Snapshot = {
  sha256: string
  contentSha256: string
  observations: number
  dbKey: string
  fields: JsonObject
}

type ReadablePointer = Exclude<PointerLook, { state: 'unreadable' }>

/** `sha256` is of the copy that is there: the same content may have another hash. */
export type Compared = { next: 'same'; sha256: string } | { next: 'remote_ahead' | 'push' }

/** Whether the snapshot is to be pushed upon this pointer: the same content is there, more observations are there, or go on. */
export function comparePush(look: ReadablePointer, snapshot: Snapshot, force: boolean): Compared {
  if (look.state === 'absent' || look.pointer.sha256 === null) return { next: 'push' }
  const { content_sha256, sha256, observations } = look.pointer
  if (content_sha256 === snapshot.contentSha256 || sha256 === snapshot.sha256) return { next: 'same', sha256 }
  if (!force && (observations ?? 0) > snapshot.observations) return { next: 'remote_ahead' }
  return { next: 'push' }
}

export type PushMark = { pushId: string; nodeId: string; canonicalId: string; epoch: number; term: number }

/** The text of the pointer that commits a push upon the one that is there. */
export function pointerText(look: ReadablePointer, snapshot: Snapshot, mark: PushMark): string {
  const before = look.state === 'present' ? look.pointer : null
  const push = { push_id: mark.pushId, sha256: snapshot.sha256, term: mark.term }
  return textOf({
    ...snapshot.fields,
    canonical_id: mark.canonicalId,
    timestamp: look.storeNow,
    sha256: snapshot.sha256,
    content_sha256: snapshot.contentSha256,
    previous_sha256: before?.sha256 ?? null,
    observations: snapshot.observations,
    db_key: snapshot.dbKey,
    push_id: mark.pushId,
    node_id: mark.nodeId,
    epoch: Math.max(mark.epoch, before?.epoch ?? 0),
    term: mark.term,
    recent: [push, ...(before?.recent ?? [])].slice(0, MAX_RECENT),
  })
}
