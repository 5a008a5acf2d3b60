import { foldName, noteName } from '#domain/garden/garden-path.ts'
import { frontmatterLines } from '#domain/garden/note-text.rules.ts'

/**
 * The links of notes and the notes that they lead to, from the texts alone.
 *
 * A wiki link names a note by its path (with or without `.md`), by the end of its path, or by its file name; case, width and invisible
 * characters do not count. A Markdown link is relative to its note. Code, front matter and comments hold no links.
 */
export type NoteSource = { path: string; text: string }
export type FoundLink = { kind: 'wiki' | 'markdown'; target: string; line: number; text: string }

const WIKI = /!?\[\[([^[\]\n]{1,500})\]\]/gu
const MARKDOWN = /(?<!!)\[[^[\]\n]{0,500}\]\(\s*<?([^()\s<>]{1,1000})>?(?:\s+"[^"\n]{0,200}")?\s*\)/gu
const FENCE = /^\s*(`{3,}|~{3,})/u
const LINE_CHARS = 20_000

/** The lines of a note with everything blanked (spaces of the same length) that is no prose: front matter, code, comments. */
export function proseLines(text: string): string[] {
  const lines = text.split('\n')
  const start = frontmatterLines(text)
  let fence: string | null = null
  let comment = false
  return lines.map((line, i) => {
    const mark = FENCE.exec(line)?.[1]
    if (i < start || line.length > LINE_CHARS) return ''
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
      return ''
    }
    if (mark) {
      fence = mark.slice(0, 3)
      return ''
    }
    const opened: boolean = comment
    const { shown, inside } = withoutComments(line, opened)
    comment = inside
    return shown.replace(/(`+)(?!`).*?(?<!`)\1(?!`)/gu, (code) => ' '.repeat(code.length))
  })
}

function withoutComments(line: string, inside: boolean): { shown: string; inside: boolean } {
  let shown = ''
  let rest = line
  let open = inside
  while (rest !== '') {
    const mark = open ? '-->' : '<!--'
    const at = rest.indexOf(mark)
    const end = at < 0 ? rest.length : at + (open ? mark.length : 0)
    shown += open ? ' '.repeat(end) : rest.slice(0, end)
    rest = rest.slice(end)
    if (at >= 0) open = !open
  }
  return { shown, inside: open }
}

/** Every link of a note, in the order of the text; links to other sites and to places in the same note are left out. */
export function linksOf(text: string): FoundLink[] {
  const own = text.split('\n')
  return proseLines(text).flatMap((prose, i) => {
    const line = own[i] ?? ''
    const wiki = [...prose.matchAll(WIKI)].map((m) => ({
      at: m.index,
      kind: 'wiki' as const,
      raw: m[1] ?? '',
      text: m[0],
    }))
    const plain = [...prose.matchAll(MARKDOWN)].map((m) => ({
      at: m.index,
      kind: 'markdown' as const,
      raw: m[1] ?? '',
      text: m[0],
    }))
    return [...wiki, ...plain]
      .sort((a, b) => a.at - b.at)
      .map((l) => ({
        kind: l.kind,
        line: i + 1,
        text: line.slice(l.at, l.at + l.text.length),
        target: targetOf(l.kind, l.raw),
      }))
      .filter((l) => l.target !== '')
  })
}

/** The target without label, heading and escapes; empty when it leads out of the garden or nowhere. */
function targetOf(kind: FoundLink['kind'], raw: string): string {
  if (kind === 'wiki') return (raw.split(/\\?\|/u)[0] ?? '').split('#')[0]?.trim() ?? ''
  if (/^[a-z][a-z0-9+.-]*:|^\/\/|^#/iu.test(raw)) return ''
  const path = raw.split(/[#?]/u)[0] ?? ''
  return /\.md$/iu.test(path) ? decoded(path) : ''
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Where links lead: built once for all notes. */
export type LinkMap = { byPath: Map<string, string>; byName: Map<string, string[]> }
const keyOf = (path: string) => foldName(path.replace(/\.md$/iu, ''))

export function linkMap(paths: readonly string[]): LinkMap {
  const byName = new Map<string, string[]>()
  for (const path of paths) {
    const name = keyOf(noteName(path))
    byName.set(name, [...(byName.get(name) ?? []), path])
  }
  return { byPath: new Map(paths.map((p) => [keyOf(p), p])), byName }
}

/** The note that a link of `from` leads to, or null. Of several notes with the name, the first in the order of paths. */
export function resolveLink(
  map: LinkMap,
  from: string,
  link: Pick<FoundLink, 'kind' | 'target'>,
): string | null {
  const folder = from.split('/').slice(0, -1)
  if (link.kind === 'markdown') {
    const path = joined(link.target.startsWith('/') ? [] : folder, link.target)
    return path === null ? null : (map.byPath.get(keyOf(path)) ?? null)
  }
  const near = joined(folder, link.target)
  const direct =
    map.byPath.get(keyOf(link.target)) ?? (near === null ? undefined : map.byPath.get(keyOf(near)))
  if (direct !== undefined) return direct
  const end = keyOf(link.target)
  const named = map.byName.get(end.split('/').at(-1) ?? '') ?? []
  return named.find((p) => keyOf(p) === end || keyOf(p).endsWith(`/${end}`)) ?? null
}

/** A relative path from a folder; null when it climbs out of the garden. */
function joined(folder: readonly string[], target: string): string | null {
  const out = [...folder]
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') out.push(part)
    else if (out.pop() === undefined) return null
  }
  return out.join('/')
}

/** The note that a broken link may have meant: the one at the end of its path, or the only one with its name; else null. */
export function nearestNote(map: LinkMap, target: string): string | null {
  const parts = target.split('/').filter((p) => p !== '' && p !== '.' && p !== '..')
  for (let i = 0; i < parts.length; i++) {
    const found = map.byPath.get(keyOf(parts.slice(i).join('/')))
    if (found !== undefined) return found
  }
  const named = map.byName.get(keyOf(parts.at(-1) ?? '')) ?? []
  return named.length === 1 ? (named[0] ?? null) : null
}
