import { noteName } from '#domain/garden/garden-path.ts'
import { takingTurns } from '#server/garden/in-time.ts'
import type { GardenLinks } from '#server/garden/note-links.ts'
import { proseLines } from '#server/garden/parsed-note.ts'
import type { NoteSource } from '#server/garden/read-note.ts'

/**
 * Mentions of known notes that are not links yet.
 *
 * A note is known by its file name, its title (front matter or first heading) and the part of the title after a colon. A name counts when
 * it belongs to one note alone and is no common word: several words, or one with a capital inside, a digit or a joining mark. Only prose
 * is searched: no headings, code, links or addresses. One mention a target and note is enough, and none where a link is there already.
 *
 * A name is looked up by its first word, and where that word stands, by each length that a name with it has. So the work grows with the
 * text and not with the names, and others get their turn between the notes.
 */
export type Mention = { path: string; line: number; at: number; text: string; target: string; link: string }

const MIN_CHARS = 5
/** No note writes such a line by hand, and nobody else gets a turn within one. */
const LINE_CHARS = 20_000

function namesOf(path: string, title: string): string[] {
  const after = title.includes(': ') ? title.slice(title.indexOf(': ') + 2) : null
  return [noteName(path), title, after].filter((n): n is string => n !== null && isTelling(n))
}

function isTelling(name: string): boolean {
  if (name.length < MIN_CHARS || name.length > 120 || /[[\]|`<>#]/u.test(name)) return false
  if (/^_?(readme|index|індекс|changelog|todo)$/iu.test(name)) return false
  return /\s/u.test(name.trim()) || /\d|_|-|\p{Ll}\p{Lu}/u.test(name)
}

/** Name → the one note that it belongs to; names of several notes are left out. */
function knownNames(notes: readonly NoteSource[], garden: GardenLinks): Map<string, string> {
  const owners = new Map<string, Set<string>>()
  for (const { path } of notes) {
    for (const name of namesOf(path, garden.note(path)?.title ?? '')) {
      const key = name.normalize('NFC').toLowerCase()
      owners.set(key, (owners.get(key) ?? new Set()).add(path))
    }
  }
  return new Map(
    [...owners].flatMap(([name, paths]) => (paths.size === 1 ? [[name, [...paths][0] ?? '']] : [])),
  )
}

/** Where a name may begin: a whole word, or one sign that is no letter and no digit. */
const BEGINS = /(?<![\p{L}\p{N}_/.-])(?:[\p{L}\p{N}]+|[^\p{L}\p{N}])/gu
/** What may not follow a name. */
const GOES_ON = /[\p{L}\p{N}_/-]/uy

/** Both small forms of sigma count as one: which of them a word gets depends on what follows it. */
const wordKey = (word: string): string => word.toLowerCase().replaceAll('ς', 'σ')

type Names = {
  /** Name → note. */
  notes: ReadonlyMap<string, string>
  /** First word → the lengths of the names that begin with it, longest first. */
  lengths: ReadonlyMap<string, readonly number[]>
}

function byFirstWord(notes: ReadonlyMap<string, string>): Names {
  const lengths = new Map<string, Set<number>>()
  for (const name of notes.keys()) {
    const first = wordKey(/^(?:[\p{L}\p{N}]+|[^\p{L}\p{N}])/u.exec(name)?.[0] ?? '')
    lengths.set(first, (lengths.get(first) ?? new Set()).add(name.length))
  }
  const sorted = [...lengths].map(([first, all]) => [first, [...all].sort((a, b) => b - a)] as const)
  return { notes, lengths: new Map(sorted) }
}

/** Every unlinked mention of all notes, by note and line; longer names win over shorter ones inside them. */
export async function unlinkedMentions(
  notes: readonly NoteSource[],
  garden: GardenLinks,
): Promise<Mention[]> {
  const names = byFirstWord(knownNames(notes, garden))
  const mentions: Mention[] = []
  const turn = takingTurns()
  for (const note of names.notes.size === 0 ? [] : notes) {
    for (const mention of mentionsIn(note, names, garden)) mentions.push(mention)
    await turn()
  }
  return mentions
}

function mentionsIn(note: NoteSource, names: Names, garden: GardenLinks): Mention[] {
  const { path } = note
  const linked = new Set(garden.links(path).map((link) => link.path))
  const parsed = garden.note(path)
  const mentions: Mention[] = []
  for (const [i, line] of (parsed ? proseLines(note.text, parsed) : []).entries()) {
    if (line.length > LINE_CHARS) continue
    for (const { text, at, target } of namesIn(line, names)) {
      if (target === path || linked.has(target)) continue
      linked.add(target)
      const mention = { path, line: i + 1, at, text, target }
      mentions.push({ ...mention, link: wikiLink(garden, mention, /^\s*\|/u.test(line)) })
    }
  }
  return mentions
}

type Named = Pick<Mention, 'text' | 'at' | 'target'>

/** The names that stand in a line, none inside another. */
function namesIn(line: string, names: Names): Named[] {
  const found: Named[] = []
  let free = 0
  for (const { 0: word, index: at } of line.matchAll(BEGINS)) {
    const lengths = at < free ? undefined : names.lengths.get(wordKey(word))
    const named = lengths && nameAt(line, at, { lengths, notes: names.notes })
    if (!named) continue
    found.push(named)
    free = at + named.text.length
  }
  return found
}

type Candidates = { lengths: readonly number[]; notes: Names['notes'] }

function nameAt(line: string, at: number, { lengths, notes }: Candidates): Named | null {
  for (const length of lengths) {
    const text = line.slice(at, at + length)
    const target = text.length === length ? notes.get(text.toLowerCase()) : undefined
    GOES_ON.lastIndex = at + length
    if (target !== undefined && !GOES_ON.test(line)) return { text, at, target }
  }
  return null
}

/** `[[name]]` or `[[name|text]]`; the whole path where the name leads elsewhere, the bar escaped inside a table. */
function wikiLink(garden: GardenLinks, mention: Omit<Mention, 'link'>, inTable: boolean): string {
  const { path, target, text } = mention
  const name = noteName(target)
  const alone = garden.resolve(path, { kind: 'wiki', target: name }) === target
  const to = alone ? name : target.replace(/\.md$/iu, '')
  return to === text ? `[[${to}]]` : `[[${to}${inTable ? '\\|' : '|'}${text}]]`
}

/** The note's text with the mentions turned into links. */
export function withLinks(text: string, mentions: readonly Mention[]): string {
  const lines = text.split('\n')
  for (const m of [...mentions].sort((a, b) => b.line - a.line || b.at - a.at)) {
    const line = lines[m.line - 1] ?? ''
    lines[m.line - 1] = line.slice(0, m.at) + m.link + line.slice(m.at + m.text.length)
  }
  return lines.join('\n')
}
