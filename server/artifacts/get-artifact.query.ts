import {
  ARTIFACTS,
  type ArtifactDetail,
  type ArtifactSources,
  type MarkedSentence,
  type MarkedText,
  type ReadableText,
} from '#contracts/artifact.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { commentsOn } from '#server/notes/annotations.query.ts'
import { type RenderText, textRenderer } from '#server/notes/render-text.ts'
import { sourcesNow } from '#server/retrieval/source-now.ts'
import type { Services } from '#server/services.ts'
import { addedTagsOf, artifactView, type ConsoleEnv, forGuest } from './artifact-view.ts'
import { artifactScopeOf } from './artifact-visibility.ts'
import { citedText, markedTree } from './cited-text.ts'
import { markedText } from './marked-text.ts'
import { openArtifact } from './open-artifact.ts'

type Parts = Pick<Services, 'database' | 'db' | 'garden' | 'reads' | 'store'> & { env: ConsoleEnv }

/** One artifact with its document, as `openArtifact` lets the caller read it. */
export async function getArtifact(parts: Parts, id: string, caller: Caller): Promise<Result<ArtifactDetail>> {
  const opened = await openArtifact(parts, id, caller)
  if (!opened.ok) return opened
  const { row, document, guest } = opened.value
  const { content, sources, marks } = document
  const added = await addedTagsOf(parts.reads, [row.artifact_id])
  const view = artifactView(row, parts.env, { added: added.get(row.artifact_id) })
  const text = ARTIFACTS[row.type].readable?.(content)
  const sentences = text && marks ? markedText(text, marks) : null
  const scope = await artifactScopeOf(parts, caller)
  const address = `artifacts/${row.artifact_id}`
  const readable = text ? await rendered(text, sentences, await textRenderer(parts.garden, scope)) : null
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
    sentences,
  })
}

/** What became of its sources in the garden; only of an artifact that the caller may read, so all of them lie in a guest's zone. */
export async function getSources(parts: Parts, id: string, caller: Caller): Promise<Result<ArtifactSources>> {
  const opened = await openArtifact(parts, id, caller)
  return opened.ok ? ok(await sourcesNow(parts.garden, opened.value.document.sources)) : opened
}

type Readable = { trees: ArtifactDetail['readable']; reading: boolean }

/** The text as trees; behind each sentence that is marked stands where its citations go (`cited-text.ts`). */
async function rendered(
  { summary, sections, conclusions }: ReadableText,
  sentences: MarkedText | null,
  render: RenderText,
): Promise<Readable> {
  let reading = false
  const tree = async (text: string, marked: readonly MarkedSentence[] = []) => {
    const content = await render(citedText(text, marked))
    reading ||= content.reading
    return markedTree(content.tree)
  }
  const [first, middle, last] = await Promise.all([
    tree(summary, sentences?.summary),
    Promise.all(sections.map(({ body }, n) => tree(body, sentences?.sections[n]))),
    Promise.all(conclusions.map((line, n) => tree(line, sentences?.conclusions[n]))),
  ])
  return { trees: { summary: first, sections: middle, conclusions: last }, reading }
}
