import { z } from 'zod'
import { unifiedDiff } from '#server/garden/apply-diff.ts'
import { gardenLinks } from '#server/garden/note-links.ts'
import {
  type ExecutorInput,
  type NoteText,
  type ProposedChange,
  type TaskResult,
  ToolFailure,
} from '#server/ports/agent-executor.ts'
import { fits, head } from './draft-output.ts'
import { NO_MODEL } from './note-templates.ts'
import { type Mention, unlinkedMentions, withLinks } from './unlinked-mentions.ts'

/**
 * Task `link-suggestions`: finds notes that mention another note without linking it, and proposes the links, one proposal a note.
 *
 * Parameters: `folder` (only notes below it), `limit` (notes, 1–5, default 5). Notes with most mentions come first.
 */
const NOTES = 5
const LINKS_PER_NOTE = 8
const params = z.object({
  folder: z.string().max(1024).optional(),
  limit: z.coerce.number().int().min(1).max(NOTES).default(NOTES),
})

export async function linkSuggestionsTask(input: ExecutorInput): Promise<TaskResult> {
  const given = params.safeParse(input.params)
  if (!given.success)
    throw new ToolFailure('OUTPUT_INVALID', `params.limit is 1–${NOTES}, params.folder a path.`)
  const { notes } = await input.tools['read-notes']({})
  const all = await unlinkedMentions(notes, await gardenLinks(notes))
  const proposals: ProposedChange[] = []
  let links = 0
  for (const [path, mentions] of ranked(all, given.data.folder)) {
    const note = notes.find((n) => n.path === path)
    if (!note || proposals.length === given.data.limit) continue
    const proposal = proposalOf(note, mentions.slice(0, LINKS_PER_NOTE))
    if (!fits([...proposals, proposal])) continue
    await input.tools['create-proposal'](proposal)
    proposals.push(proposal)
    links += proposal.citations.length
  }
  return {
    summary: summaryOf(notes.length, all.length, links, proposals.length),
    proposals,
    grounding: { status: links > 0 ? 'grounded' : 'ungrounded', claims: links, grounded_claims: links },
    jobs: [],
    artifacts: [],
  }
}

function summaryOf(notes: number, found: number, links: number, proposals: number): string {
  if (found === 0) return `${notes} notes read, every mention of a known note is a link (${NO_MODEL}).`
  return `${notes} notes read, ${found} mentions without a link found, ${links} links proposed for ${proposals} notes (${NO_MODEL}).`
}

function ranked(mentions: readonly Mention[], folder: string | undefined): [string, Mention[]][] {
  const inside = folder ? `${folder.replace(/^notes\/|\/+$/gu, '')}/` : ''
  const groups = new Map<string, Mention[]>()
  for (const m of mentions)
    if (m.path.startsWith(inside)) groups.set(m.path, [...(groups.get(m.path) ?? []), m])
  return [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
}

function proposalOf(note: NoteText, mentions: readonly Mention[]): ProposedChange {
  const lines = note.text.split('\n')
  const list = mentions.map((m) => `- line ${m.line}: “${m.text}” names the note ${m.target}`).join('\n')
  const count = mentions.length === 1 ? 'a missing link' : `${mentions.length} missing links`
  return {
    action: 'propose-edit',
    target: `notes/${note.path}`,
    diff: { type: 'replace', unified: unifiedDiff(note.path, note.text, withLinks(note.text, mentions)) },
    summary: head(`Add ${count} in ${note.path}`, 200),
    reasoning: head(
      `The note mentions other notes of the garden by name without linking them (${NO_MODEL}):\n${list}`,
      8000,
    ),
    citations: mentions.map((m) => ({
      source: note.path,
      lines: { from: m.line, to: m.line },
      quote: quoteOf(lines[m.line - 1] ?? m.text, m),
      source_revision: note.revision,
    })),
  }
}

/** The line, or the part of a long line around the mention. */
function quoteOf(line: string, { at, text }: Mention): string {
  if (line.length <= 300) return line
  const start = Math.max(0, at - 100)
  return line.slice(start, at + text.length + 100).toWellFormed() ===
    line.slice(start, at + text.length + 100)
    ? line.slice(start, at + text.length + 100)
    : text
}
