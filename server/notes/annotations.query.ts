/**
 * Comments on a note or an artifact, and the summary of a note: files of the product in the garden ([garden#addresses]). The file is what
 * counts; the ledger says whose proposal it was. Ask only for what the reader may see: an annotation is as visible as its object.
 */
import type { Annotation, NoteScope } from '#contracts/note.contract.ts'
import { commentFolder, summaryPath } from '#domain/garden/target.rules.ts'
import { targetKey } from '#domain/proposal/conflict.rules.ts'
import type { GitFile } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { type RenderedText, type RenderText, textRenderer } from './render-text.ts'

type Parts = Pick<Services, 'garden' | 'reads'>
type Source = { author: string; at: string; proposal_id: string }

/** Comments shown on a page; the newest. */
const SHOWN = 200

/** The comments on an address (`notes/<path>`, `artifacts/<id>`) at a revision, the oldest first. */
export async function commentsOn(
  { garden, reads }: Parts,
  scope: NoteScope,
  { address, revision }: { address: string; revision: string },
): Promise<Annotation[]> {
  const folder = `${commentFolder(address)}/`
  const named = (await garden.list(revision)).flatMap(({ path }) => {
    const name = path.startsWith(folder) ? path.slice(folder.length) : ''
    return name.endsWith('.md') && !name.includes('/') ? [{ path, id: name.slice(0, -3) }] : []
  })
  if (named.length === 0) return []
  const sources = await sourcesOf(reads, { proposal_id: { in: named.map(({ id }) => id) } })
  const from = new Map(sources.map((source) => [source.proposal_id, source]))
  const render = await textRenderer(garden, scope)
  const inTime = named
    .map(({ path, id }) => ({ path, source: from.get(id) ?? null }))
    .sort((a, b) => ((a.source?.at ?? '') < (b.source?.at ?? '') ? -1 : 1))
    .slice(-SHOWN)
  const files = await Promise.all(inTime.map(({ path }) => garden.read(path, revision)))
  return Promise.all(
    inTime.flatMap(({ source }, i) => {
      const file = files[i]
      return file ? [annotationOf(file, { source, scope, render, base: noteOf(address) })] : []
    }),
  )
}

/** The summary of a note at a revision, or null. */
export async function summaryOf(
  { garden, reads }: Parts,
  scope: NoteScope,
  { path, revision }: { path: string; revision: string },
): Promise<Annotation | null> {
  const file = await garden.read(summaryPath(path), revision)
  if (!file) return null
  const sources = await sourcesOf(reads, {
    target_key: targetKey(`notes/${path}`),
    action: 'propose-summary',
    result_hash: file.sha256,
  })
  const render = await textRenderer(garden, scope)
  return annotationOf(file, { source: sources[0] ?? null, scope, render, base: path })
}

type Where = { source: Source | null; scope: NoteScope; render: RenderText; base: string }

const annotationOf = async (file: GitFile, { source, scope, render, base }: Where): Promise<Annotation> => ({
  path: file.path,
  // A guest reads what lies inside without a word of who.
  author: scope === null ? (source?.author ?? null) : null,
  at: source?.at ?? null,
  proposal_id: scope === null ? (source?.proposal_id ?? null) : null,
  ...contentOf(await render(file.text, base)),
})

const contentOf = ({ tree, reading }: RenderedText) => ({ content: tree, reading })

const noteOf = (address: string): string => (address.startsWith('notes/') ? address.slice(6) : '')

type Applied = { proposal_id: { in: string[] } } | { target_key: string; action: string; result_hash: string }

/** Who proposed what was applied, the newest first. */
async function sourcesOf(reads: Services['reads'], where: Applied): Promise<Source[]> {
  const rows = await reads.proposal.findMany({
    select: { proposal_id: true, source_identity: true, created_at: true },
    where: { ...where, git_commit: { not: null } },
    orderBy: { updated_at: 'desc' },
    take: SHOWN * 5,
  })
  return rows.map((row) => ({
    author: row.source_identity,
    at: row.created_at.toISOString(),
    proposal_id: row.proposal_id,
  }))
}
