import { type ArtifactDocument, artifactDocument } from '#contracts/artifact.contract.ts'
import { type Caller, GATEWAY, isOfAgent } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { type Row, rowOf, selected } from '#server/ledger/rows.ts'
import { ArtifactCorrupt, getVerified } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { VIEW_SELECT, type ViewRow } from './artifact-view.ts'
import { artifactVisibility } from './artifact-visibility.ts'
import { removedRefusal } from './removed-artifact.ts'

const DETAIL = ['object_key', 'content_sha256'] as const

export const CORRUPT = refuse({
  code: 'ARTIFACT_CORRUPT',
  message: 'The stored document is not what was written.',
})
const MISSING = refuse({ code: 'NOT_FOUND', message: 'There is no such artifact.' })

export type OpenArtifact = {
  row: ViewRow & Row<'artifact', (typeof DETAIL)[number]>
  /** The exact stored bytes. */
  bytes: Uint8Array
  document: ArtifactDocument
  /** Whether it is a guest who reads it. */
  guest: boolean
}

type Parts = Pick<Services, 'database' | 'db' | 'garden' | 'reads' | 'store'>

/**
 * The row and the document of one artifact, for whoever may read it; its digest is recomputed with every read ([artifacts#I-A5]): other bytes
 * are never served but answered with 502 `ARTIFACT_CORRUPT` and recorded; a document that retention has removed is 410 `ARTIFACT_REMOVED`. What lies outside a guest's zone looks like what does not exist.
 */
export async function openArtifact(parts: Parts, id: string, caller: Caller): Promise<Result<OpenArtifact>> {
  const found = await parts.reads.artifact.findUnique({
    where: { artifact_id: id },
    select: { ...VIEW_SELECT, ...selected(DETAIL) },
  })
  const own = found !== null && isOfAgent(caller, found.agent_slug)
  const fault = await authorityFault(parts.database, caller, 'artifact', 'read', { id, own })
  if (fault) return refuse(fault)
  const { guest, visible, quotable } = await artifactVisibility(parts, caller)
  const [row] = await visible(found ? [rowOf('artifact', found)] : [])
  if (!row) return MISSING
  const removed = await removedRefusal(parts.db, row.artifact_id)
  if (removed) return removed
  const bytes = await readDocument(parts, row)
  if (!bytes) return CORRUPT
  const document = artifactDocument.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  if (!(await quotable(document.sources))) return MISSING
  return ok({ row, bytes, document, guest })
}

type DocumentParts = Pick<Services, 'database' | 'store'>
type StoredDocument = Row<'artifact', 'artifact_id' | 'agent_slug' | 'object_key' | 'content_sha256'>

/** The exact bytes of the document; null when they are not what was written. The gateway records the fault on the pool itself, also when a guest's request, which cannot write, has found it. */
export async function readDocument(
  { database, store }: DocumentParts,
  row: StoredDocument,
): Promise<Uint8Array | null> {
  try {
    const bytes = await getVerified(store, row.object_key, row.content_sha256)
    if (!bytes) await recordUnreadable(database, row, 'missing')
    return bytes
  } catch (error) {
    if (!(error instanceof ArtifactCorrupt)) throw error
    await recordUnreadable(database, row, 'digest')
    return null
  }
}

async function recordUnreadable(db: Db, row: StoredDocument, fault: string): Promise<void> {
  await recordEvent(db, {
    name: 'artifact.read_failed',
    actor: GATEWAY,
    resource: { type: 'artifact', id: row.artifact_id },
    outcome: 'error',
    errorCode: 'ARTIFACT_CORRUPT',
    refs: { artifact_id: row.artifact_id, agent: row.agent_slug },
    details: { fault, object_key: row.object_key },
  })
}
