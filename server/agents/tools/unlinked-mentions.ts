import { noteName } from '#domain/garden/garden-path.ts'
import { frontmatterLines } from '#domain/garden/note-text.rules.ts'
import { type LinkMap, linkMap, linksOf, type NoteSource, proseLines, resolveLink } from './note-links.ts'

/**
 * Mentions of known notes that are not links yet.
 *
 * A note is known by its file name, its title (front matter or first heading) and the part of the title after a colon. A name counts when
 * it belongs to one note alone and is no common word: several words, or one with a capital inside, a digit or a joining mark. Only prose
 * is searched: no headings, code, links or addresses. One mention a target and note is enough, and none where a link is there already.
 */
export type Mention = { path: string; line: number; at: number; text: string; target: string; link: string }

const TITLE = /^title:\s*["']?(.+?)["']?\s*$/mu
const HEADING = /^#\s+(.+?)\s*#*\s*$/u
const MIN_CHARS = 5
const LINKLIKE = /!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|https?:\/\/\S+|<[^>\n]*>/gu

/** The title that a note gives itself, or null. */
export function titleOf(text: string): string | null {
  const lines = text.split('\n')
  const start = frontmatterLines(text)
  const told = TITLE.exec(lines.slice(0, start).join('\n'))?.[1]
  const heading = proseLines(text).find((l) => HEADING.test(l))
  return told ?? (heading ? (HEADING.exec(heading)?.[1] ?? null) : null)
}

function namesOf(note: NoteSource): string[] {
  const title = titleOf(note.text)
  const after = title?.includes(': ') ? title.slice(title.indexOf(': ') + 2) : null
  return [noteName(note.path), title, after].filter((n): n is string => n !== null && isTelling(n))
}

function isTelling(name: string): boolean {
  if (name.length < MIN_CHARS || name.length > 120 || /[[\]|`<>#]/u.test(name)) return false
  if (/^_?(readme|index|індекс|changelog|todo)$/iu.test(name)) return false
  return /\s/u.test(name.trim()) || /\d|_|-|\p{Ll}\p{Lu}/u.test(name)
}

/** Name → the one note that it belongs to; names of several notes are left out. */
function knownNames(notes: readonly NoteSource[]): Map<string, string> {
  const owners = new Map<string, Set<string>>()
  for (const note of notes) {
    for (const name of namesOf(note)) {
      const key = name.normalize('NFC').toLowerCase()
      owners.set(key, (owners.get(key) ?? new Set()).add(note.path))
    }
  }
  return new Map(
    [...owners].flatMap(([name, paths]) => (paths.size === 1 ? [[name, [...paths][0] ?? '']] : [])),
  )
}

/** Prose of a line with headings, links and addresses blanked. */
const searchable = (line: string) =>
  /^\s*#{1,6}\s/u.test(line) ? '' : line.replace(LINKLIKE, (found) => ' '.repeat(found.length))

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/gu, '\\$&')

/** Every unlinked mention of all notes, by note and line; longer names win over shorter ones inside them. */
export function unlinkedMentions(notes: readonly NoteSource[]): Mention[] {
  const names = knownNames(notes)
  if (names.size === 0) return []
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const anyName = new RegExp(
    `(?<![\\p{L}\\p{N}_/.-])(?:${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}_/-])`,
    'giu',
  )
  const map = linkMap(notes.map((n) => n.path))
  return notes.flatMap((note) => mentionsIn(note, anyName, names, map))
}

function mentionsIn(note: NoteSource, anyName: RegExp, names: Map<string, string>, map: LinkMap): Mention[] {
  const linked = new Set(linksOf(note.text).map((l) => resolveLink(map, note.path, l)))
  const mentions: Mention[] = []
  for (const [i, line] of proseLines(note.text).entries()) {
    for (const found of searchable(line).matchAll(anyName)) {
      const text = found[0]
      const target = names.get(text.normalize('NFC').toLowerCase())
      if (target === undefined || target === note.path || linked.has(target)) continue
      linked.add(target)
      const inTable = /^\s*\|/u.test(line)
      mentions.push({
        path: note.path,
        line: i + 1,
        at: found.index,
        text,
        target,
        link: wikiLink(map, target, text, inTable),
      })
    }
  }
  return mentions
}

/** `[[name]]` or `[[name|text]]`; the whole path where several notes have the name, the bar escaped inside a table. */
function wikiLink(map: LinkMap, target: string, text: string, inTable: boolean): string {
  const name = noteName(target)
  const alone = resolveLink(map, '', { kind: 'wiki', target: name }) === target
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
