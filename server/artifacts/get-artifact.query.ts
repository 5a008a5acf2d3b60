import {
  ARTIFACTS,
  type ArtifactDetail,
  artifactDocument,
  type MarkedSentence,
  type MarkedText,
  type ReadableText,
  type SentenceMarks,
} from '#contracts/artifact.contract.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { authorityFault } from '#server/ledger/authority-check.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { type Row, rowOf, selected } from '#server/ledger/rows.ts'
import { commentsOn } from '#server/notes/annotations.query.ts'
import { type RenderText, textRenderer } from '#server/notes/render-text.ts'
import { ArtifactCorrupt, getVerified } from '#server/ports/object-store.ts'
import { sentencesOf } from '#server/retrieval/sentences.ts'
import type { Services } from '#server/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'
import { addedTagsOf, artifactView, type ConsoleEnv, forGuest, VIEW_SELECT } from './artifact-view.ts'
import { artifactVisibility } from './artifact-visibility.ts'

const DETAIL = ['object_key', 'content_sha256'] as const

type Parts = Pick<Services, 'database' | 'db' | 'garden' | 'reads' | 'store'> & { env: ConsoleEnv }

export const CORRUPT = refuse({
  code: 'ARTIFACT_CORRUPT',
  message: 'The stored document is not what was written.',
})
const MISSING = refuse({ code: 'NOT_FOUND', message: 'There is no such artifact.' })

/**
 * One artifact with its document, whose digest is recomputed with every read ([artifacts#I-A5]): other bytes are never served but answered with 502
 * `ARTIFACT_CORRUPT` and recorded. What lies outside a guest's zone looks like what does not exist.
 */
export async function getArtifact(parts: Parts, id: string, caller: Caller): Promise<Result<ArtifactDetail>> {
  const fault = await authorityFault(parts.database, caller, 'artifact', 'read', id)
  if (fault) return refuse(fault)
  const found = await parts.reads.artifact.findUnique({
    where: { artifact_id: id },
    select: { ...VIEW_SELECT, ...selected(DETAIL) },
  })
  const { guest, visible } = await artifactVisibility(parts, caller)
  const [row] = await visible(found ? [rowOf('artifact', found)] : [])
  if (!row) return MISSING
  const bytes = await readDocument(parts, row)
  if (!bytes) return CORRUPT
  const { content, sources, marks } = artifactDocument.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  const added = await addedTagsOf(parts.reads, [row.artifact_id])
  const view = artifactView(row, parts.env, added.get(row.artifact_id))
  const text = ARTIFACTS[row.type].readable?.(content)
  const scope = await zoneScopeOf(parts, caller)
  const address = `artifacts/${row.artifact_id}`
  const readable = text ? await rendered(text, await textRenderer(parts.garden, scope)) : null
  const comments = await commentsOn(parts, scope, { address, revision: await parts.garden.head() })
  return ok({
    ...(guest ? forGuest(view) : view),
    object_key: row.object_key,
    content_sha256: row.content_sha256,
    content,
    sources,
    readable: readable?.trees ?? null,
    reading: readable?.reading === true || comments.some((comment) => comment.reading),
    comments,
    sentences: text && marks ? marked(text, marks) : null,
  })
}

/** The sentences beside their marks; null where they are not those that were marked, since the rule that splits a text has changed. */
function marked({ summary, sections, conclusions }: ReadableText, marks: SentenceMarks): MarkedText | null {
  let same = sections.length === marks.sections.length && conclusions.length === marks.conclusions.length
  const zip = (text: string, sources: readonly number[][] = []): MarkedSentence[] => {
    const sentences = sentencesOf(text)
    same &&= sentences.length === sources.length
    return sentences.map((sentence, n) => ({ text: sentence, sources: sources[n] ?? [] }))
  }
  const text = {
    summary: zip(summary, marks.summary),
    sections: sections.map(({ body }, n) => zip(body, marks.sections[n])),
    conclusions: conclusions.map((line, n) => zip(line, marks.conclusions[n])),
  }
  return same ? text : null
}

type Readable = { trees: ArtifactDetail['readable']; reading: boolean }

async function rendered(text: ReadableText, render: RenderText): Promise<Readable> {
  const [summary, sections, conclusions] = await Promise.all([
    render(text.summary),
    Promise.all(text.sections.map((section) => render(section.body))),
    Promise.all(text.conclusions.map((line) => render(line))),
  ])
  const trees = {
    summary: summary.tree,
    sections: sections.map(({ tree }) => tree),
    conclusions: conclusions.map(({ tree }) => tree),
  }
  return { trees, reading: [summary, ...sections, ...conclusions].some(({ reading }) => reading) }
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
