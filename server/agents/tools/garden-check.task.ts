import { noteName } from '#domain/garden/garden-path.ts'
import type {
  ExecutorInput,
  NoteText,
  ProposedChange,
  ProposedCitation,
} from '#server/ports/agent-executor.ts'
import { NO_MODEL } from './agent-words.ts'
import { fits, freePath, type TaskResult } from './draft-output.ts'
import { type LinkMap, linkMap, linksOf, nearestNote, resolveLink } from './note-links.ts'
import { titleOf } from './unlinked-mentions.ts'

/**
 * Task `garden-check`: broken links and orphan notes, reported as one new note.
 *
 * A link is broken when no note answers to it; where its last part names a note, that note is suggested. An orphan is a note that no other
 * note links to; entry pages (README, index) and earlier reports need no link. Where nothing is wrong, nothing is proposed. Targets stand in the report as
 * code, so that the report itself neither breaks nor hides a link.
 */
export type BrokenLink = {
  path: string
  line: number
  text: string
  target: string
  nearest: string | null
  quote: string
  revision: string
}
export type GardenFaults = { broken: BrokenLink[]; orphans: NoteText[] }

const ENTRY_PAGES = /^_?(readme|index|індекс|home|start)$/iu
const REPORTS = /^reports\/garden-check-/u
/** From generous to spare: rows of the report and of its citations. */
const SIZES = [120, 80, 50, 30, 15, 8] as const
const QUOTE_CHARS = 300

export function gardenFaults(notes: readonly NoteText[]): GardenFaults {
  const map = linkMap(notes.map((n) => n.path))
  const linked = new Set<string>()
  const broken = notes.flatMap((note) => brokenIn(note, map, linked))
  const isFree = ({ path }: NoteText) => ENTRY_PAGES.test(noteName(path)) || REPORTS.test(path)
  const orphans = notes.filter((n) => !linked.has(n.path) && !isFree(n))
  return { broken, orphans }
}

function brokenIn(note: NoteText, map: LinkMap, linked: Set<string>): BrokenLink[] {
  const lines = note.text.split('\n')
  return linksOf(note.text).flatMap((link) => {
    const to = resolveLink(map, note.path, link)
    if (to !== null && to !== note.path) linked.add(to)
    if (to !== null) return []
    const line = lines[link.line - 1] ?? ''
    const quote = line.length <= QUOTE_CHARS && line.trim() !== '' ? line : link.text
    const { target, text } = link
    const nearest = nearestNote(map, target)
    return [{ path: note.path, line: link.line, text, target, nearest, quote, revision: note.revision }]
  })
}

export async function gardenCheckTask(input: ExecutorInput): Promise<TaskResult> {
  const { notes } = await input.tools['read-notes']({})
  const faults = gardenFaults(notes)
  const counts = `${faults.broken.length} broken links, ${faults.orphans.length} orphan notes`
  const none = { proposals: [], jobs: [], artifacts: [] }
  if (faults.broken.length + faults.orphans.length === 0) {
    const grounding = { status: 'ungrounded' as const, claims: 0, grounded_claims: 0 }
    return {
      ...none,
      grounding,
      summary: `${notes.length} notes read, no broken link and no orphan note (${NO_MODEL}).`,
    }
  }
  const path = freePath(`reports/garden-check-${input.today}`, new Set(notes.map((n) => n.path)))
  const proposal = proposalOf(faults, notes.length, path, input.today)
  await input.tools['create-proposal'](proposal)
  const claims = faults.broken.length + faults.orphans.length
  const grounded = Math.min(claims, proposal.citations.length)
  return {
    ...none,
    summary: `${notes.length} notes read: ${counts} (${NO_MODEL}).`,
    proposals: [proposal],
    grounding: { status: grounded === claims ? 'grounded' : 'partial', claims, grounded_claims: grounded },
  }
}

/** The largest form of the report that fits into one output. */
function proposalOf(faults: GardenFaults, notes: number, path: string, today: string): ProposedChange {
  const form = (rows: number): ProposedChange => ({
    action: 'propose-note',
    kind: 'note',
    target: `notes/${path}`,
    diff: { type: 'create', text: reportOf(faults, notes, today, rows) },
    summary: `Garden check: ${faults.broken.length} broken links, ${faults.orphans.length} orphan notes`,
    reasoning: `${notes} notes were read and every link was followed (${NO_MODEL}). The report lists what leads nowhere and what nothing leads to, each with its line, so that it can be mended or left on purpose.`,
    citations: citationsOf(faults, Math.min(rows, 100)),
  })
  const size = SIZES.find((rows) => fits([form(rows)])) ?? SIZES[SIZES.length - 1] ?? 8
  return form(size)
}

const code = (text: string) => (text.includes('`') ? text.replaceAll('`', "'") : text)
const cell = (text: string) => `\`${code(text).replaceAll('|', '\\|')}\``

function reportOf({ broken, orphans }: GardenFaults, notes: number, today: string, rows: number): string {
  const more = (all: number) => (all > rows ? [`\n…and ${all - rows} more.`] : [])
  const links = broken
    .slice(0, rows)
    .map(
      (b) =>
        `| ${cell(`${b.path}:${b.line}`)} | ${cell(b.target)} | ${b.nearest === null ? '–' : cell(b.nearest)} |`,
    )
  const alone = orphans.slice(0, rows).map((o) => {
    const title = titleOf(o.text)?.replace(/[[\]<>`]/gu, '')
    return title ? `- ${cell(o.path)} — ${title}` : `- ${cell(o.path)}`
  })
  return [
    `---\ntitle: Garden check of ${today}\ncreated: ${today}\ntags:\n  - report\nengine: ${NO_MODEL}\n---\n`,
    `# Garden check of ${today}\n`,
    `> ${notes} notes read and every link followed, without a language model (${NO_MODEL}).\n`,
    ...(broken.length === 0
      ? []
      : [
          `## Broken links (${broken.length})\n`,
          '| Where | Leads to | Perhaps meant |',
          '|---|---|---|',
          ...links,
          ...more(broken.length),
          '',
        ]),
    ...(orphans.length === 0
      ? []
      : [
          `## Orphan notes (${orphans.length})\n`,
          'No other note links to these.\n',
          ...alone,
          ...more(orphans.length),
          '',
        ]),
  ].join('\n')
}

/** The line of each broken link; of an orphan its first line with text. */
function citationsOf({ broken, orphans }: GardenFaults, limit: number): ProposedCitation[] {
  const links = broken.map((b) => ({
    source: b.path,
    lines: { from: b.line, to: b.line },
    quote: b.quote,
    source_revision: b.revision,
  }))
  const alone = orphans.flatMap((o) => {
    const at = o.text.split('\n').findIndex((l) => l.trim() !== '' && l.length <= QUOTE_CHARS)
    const quote = o.text.split('\n')[at]
    return quote === undefined
      ? []
      : [{ source: o.path, lines: { from: at + 1, to: at + 1 }, quote, source_revision: o.revision }]
  })
  return [...links, ...alone].slice(0, limit)
}
