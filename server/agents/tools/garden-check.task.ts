import { isMarkdown, noteName } from '#domain/garden/garden-path.ts'
import { type GardenLinks, gardenLinks } from '#server/garden/note-links.ts'
import type {
  ExecutorInput,
  NoteText,
  ProposedChange,
  ProposedCitation,
  TaskResult,
} from '#server/ports/agent-executor.ts'
import { fits, freePath } from './draft-output.ts'
import { NO_MODEL } from './note-templates.ts'

/**
 * Task `garden-check`: broken links and orphan notes, reported as one new note.
 *
 * A link is broken when it leads nowhere as the console follows it; where its last part names a note, that note is suggested. Links to
 * files of other kinds are not judged, since an agent is shown notes alone. An orphan is a note that no other
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
/** A note that no other links to; `title` is null where it only repeats the file's name. */
export type Orphan = NoteText & { title: string | null }
export type GardenFaults = { broken: BrokenLink[]; orphans: Orphan[] }

const ENTRY_PAGES = /^_?(readme|index|індекс|home|start)$/iu
const REPORTS = /^reports\/garden-check-/u
/** From generous to spare: rows of the report and of its citations. */
const SIZES = [120, 80, 50, 30, 15, 8] as const
const QUOTE_CHARS = 300

export function gardenFaults(notes: readonly NoteText[], garden: GardenLinks): GardenFaults {
  const isFree = ({ path }: NoteText) => ENTRY_PAGES.test(noteName(path)) || REPORTS.test(path)
  return {
    broken: notes.flatMap((note) => brokenIn(note, garden)),
    orphans: notes
      .filter((note) => garden.backlinks(note.path).length === 0 && !isFree(note))
      .map((note) => ({ ...note, title: ownTitle(garden, note.path) })),
  }
}

function ownTitle(garden: GardenLinks, path: string): string | null {
  const title = garden.note(path)?.title ?? null
  return title === noteName(path) ? null : title
}

function brokenIn({ path, text, revision }: NoteText, garden: GardenLinks): BrokenLink[] {
  const lines = text.split('\n')
  return garden.links(path).flatMap((link) => {
    const { target, raw } = link
    if (link.path !== null || isOtherFile(target)) return []
    const line = lines[link.line - 1] ?? ''
    const quote = line.length <= QUOTE_CHARS && line.trim() !== '' ? line : (raw.split('\n')[0] ?? raw)
    return [{ path, line: link.line, text: raw, target, nearest: garden.suggest(target), quote, revision }]
  })
}

const isOtherFile = (target: string) => /\.[a-z][a-z0-9]{0,4}$/iu.test(target) && !isMarkdown(target)

export async function gardenCheckTask(input: ExecutorInput): Promise<TaskResult> {
  const { notes } = await input.tools['read-notes']({})
  const faults = gardenFaults(notes, await gardenLinks(notes))
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
    const title = o.title?.replace(/[[\]<>`]/gu, '')
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
