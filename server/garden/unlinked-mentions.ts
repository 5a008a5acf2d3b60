import { foldName, noteName } from '#domain/garden/garden-path.ts'

/**
 * Names of notes in running text. A name is found as whole words, longest first, whatever the letter case. A name of one
 * word counts only when it is the note's title and its file name at once and has five letters or more: otherwise every
 * "migration" in a text would be taken for the note of that name.
 */
export type Mention = {
  /** The note that is named. */
  path: string
  /** Line, from 1, and offset in the text. */
  line: number
  offset: number
  /** As it stands in the text. */
  text: string
  /** The wiki link to put in its place. */
  link: string
}

type Name = { path: string; words: string[]; name: string }
/** Names by their first word, longest first. */
export type Names = ReadonlyMap<string, readonly Name[]>

/** Notes that open a garden or a folder: everything leads to them, and their names are words of every text. */
export const ENTRANCE = /^_?(?:index|readme|home|індекс|зміст)$/iu

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu
const wordsOf = (text: string): string[] => (text.match(WORD) ?? []).map(foldName)

/** The names by which notes may be mentioned; a name that two notes share is none. */
export function namesOf(notes: readonly { path: string; title: string }[]): Names {
  const all = notes.flatMap(({ path, title }): Name[] => {
    const file = noteName(path)
    if (ENTRANCE.test(file)) return []
    const texts = foldName(file) === foldName(title) ? [file] : [file, title]
    return texts
      .map((text) => ({ path, name: file, words: wordsOf(text.replaceAll('_', ' ')) }))
      .filter((name) =>
        name.words.length > 1
          ? name.words.join('').length >= 6
          : texts.length === 1 && (name.words[0]?.length ?? 0) >= 5,
      )
  })
  const shared = Map.groupBy(all, (name) => name.words.join(' '))
  const unique = all.filter(({ words, path }) =>
    shared.get(words.join(' '))?.every((other) => other.path === path),
  )
  const sorted = unique.sort((a, b) => b.words.length - a.words.length || (a.path < b.path ? -1 : 1))
  return Map.groupBy(sorted, (name) => name.words[0] ?? '')
}

/** The first mention of each note in a text of which everything but prose was blanked out. */
export function mentionsIn(prose: string, names: Names): Mention[] {
  const found = new Map<string, Mention>()
  const tokens = [...prose.matchAll(WORD)].map((match) => ({
    word: foldName(match[0]),
    at: match.index,
    text: match[0],
  }))
  for (let i = 0; i < tokens.length; i++) {
    const name = names.get(tokens[i]?.word ?? '')?.find((candidate) => stands(candidate, tokens, i, prose))
    if (!name) continue
    const [first, last] = [tokens[i], tokens[i + name.words.length - 1]]
    i += name.words.length - 1
    if (!first || !last || found.has(name.path)) continue
    const text = prose.slice(first.at, last.at + last.text.length)
    const line = prose.slice(0, first.at).split('\n').length
    const link = linkText(name.name, text, prose.split('\n')[line - 1] ?? '')
    found.set(name.path, { path: name.path, line, offset: first.at, text, link })
  }
  return [...found.values()]
}

/** In a row of a table the bar of a label would end the cell. */
const linkText = (name: string, text: string, row: string): string =>
  text === name ? `[[${text}]]` : `[[${name}${row.includes('|') ? '\\|' : '|'}${text}]]`

type Token = { word: string; at: number; text: string }

function stands(name: Name, tokens: Token[], start: number, prose: string): boolean {
  return name.words.every((word, i) => {
    const [before, token] = [tokens[start + i - 1], tokens[start + i]]
    if (token?.word !== word) return false
    return (
      i === 0 ||
      (before !== undefined && /^[ _-]$/.test(prose.slice(before.at + before.text.length, token.at)))
    )
  })
}
