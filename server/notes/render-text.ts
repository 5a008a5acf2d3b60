import type { Root } from 'hast'
import type { NoteScope } from '#contracts/note.contract.ts'
import type { ContentLinks } from '#server/garden/linked-content.ts'
import { plainContent } from '#server/garden/linked-content.ts'
import { renderedInTime } from '#server/garden/read-note.ts'
import { linkResolver } from '#server/garden/resolve-link.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { visibleGarden } from './visible-notes.ts'

/** A safe tree for the page; while it is `reading`, the text as it is written, for a moment. */
export type RenderedText = { tree: Root; reading: boolean }
/** Renders Markdown that stands at `path` (links are relative to it). */
export type RenderText = (markdown: string, path?: string) => Promise<RenderedText>

/** Milliseconds that the texts of a page are waited for, together ([garden#reading]). */
const PAGE_MS = 800

/** A renderer for texts that are no notes (briefs, proposed files): links lead to notes of the scope, everything else as in notes. */
export async function textRenderer(garden: GitRepository, scope: NoteScope): Promise<RenderText> {
  const until = performance.now() + PAGE_MS
  const seen = await visibleGarden(garden, scope)
  const resolve = linkResolver(
    seen.notes,
    seen.notes.map((n) => n.path),
  )
  return async (markdown, path = '') => {
    const links: ContentLinks = {
      resolve: (kind, target) => {
        const found = resolve(path, { kind, target })
        return found !== null && seen.find(found) ? found : null
      },
    }
    const content = await renderedInTime(markdown, links, until, false)
    return { tree: (content ?? plainContent(markdown, 'reading')).tree, reading: content === null }
  }
}
