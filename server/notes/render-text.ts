import type { Root } from 'hast'
import type { NoteScope } from '#contracts/note.contract.ts'
import type { ContentLinks } from '#server/garden/linked-content.ts'
import { renderedText } from '#server/garden/read-note.ts'
import { linkResolver } from '#server/garden/resolve-link.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { visibleGarden } from './visible-notes.ts'

/** Renders Markdown that stands at `path` (links are relative to it) as a safe tree for the page. */
export type RenderText = (markdown: string, path?: string) => Promise<Root>

/** A renderer for texts that are no notes (briefs, proposed files): links lead to notes of the scope, everything else as in notes. */
export async function textRenderer(garden: GitRepository, scope: NoteScope): Promise<RenderText> {
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
    return (await renderedText(markdown, links, false)).tree
  }
}
