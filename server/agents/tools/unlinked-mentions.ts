import { noteName } from '#domain/garden/garden-path.ts'
import type { GardenLinks } from '#server/garden/note-links.ts'
import { proseLines } from '#server/garden/parsed-note.ts'
import type { NoteSource } from '#server/garden/read-note.ts'

/**
 * Mentions of known notes that are not links yet.
 *
 * A note is known by its file name, its title (front matter or first heading) and the part of the title after a colon. A name counts when
 * it belongs to one note alone and is no common word: several words, or one with a capital inside, a digit or a joining mark. Only prose
 * is searched: no headings, code, links or addresses. One mention a target and note is enough, and none where a link is there already.
 */
export type Mention = { path: string; line: number; at: number; text: string; target: string; link: string }

const MIN_CHARS = 5
/** No note writes such a line by hand; searching it for every name would hold up everybody else. */
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

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')

/** Every unlinked mention of all notes, by note and line; longer names win over shorter ones inside them. */
export function unlinkedMentions(notes: readonly NoteSource[], garden: GardenLinks): Mention[] {
  const names = knownNames(notes, garden)
  if (names.size === 0) return []
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const anyName = new RegExp(
    `(?<![\\p{L}\\p{N}_/.-])(?:${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}_/-])`,
    'giu',
  )
  return notes.flatMap((note) => mentionsIn(note, anyName, names, garden))
}

function mentionsIn(
  note: NoteSource,
  anyName: RegExp,
  names: ReadonlyMap<string, string>,
  garden: GardenLinks,
): Mention[] {
  const { path } = note
  const linked = new Set(garden.links(path).map((link) => link.path))
  const parsed = garden.note(path)
  const mentions: Mention[] = []
  for (const [i, line] of (parsed ? proseLines(note.text, parsed) : []).entries()) {
    if (line.length > LINE_CHARS) continue
    for (const { 0: text, index: at } of line.matchAll(anyName)) {
      const target = names.get(text.normalize('NFC').toLowerCase())
      if (target === undefined || target === path || linked.has(target)) continue
      linked.add(target)
      const mention = { path, line: i + 1, at, text, target }
      mentions.push({ ...mention, link: wikiLink(garden, mention, /^\s*\|/u.test(line)) })
    }
  }
  return mentions
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
