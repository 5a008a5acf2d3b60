/** The comments of a source file, found without a parser: strings are stepped over, so that an address in one is no comment. */

const CODE =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g
const SQL = /'(?:[^']|'')*'|(?<comment>--[^\n]*|\/\*[\s\S]*?\*\/)/g
const PRISMA = /"(?:\\.|[^"\\\n])*"|(?<comment>\/\/[^\n]*)/g

/**
 * Every comment with the line it begins on.
 * @param {string} file its name tells the language
 * @param {string} text
 * @returns {{ line: number, text: string }[]}
 */
export function commentsOf(file, text) {
  const pattern = file.endsWith('.sql') ? SQL : file.endsWith('.prisma') ? PRISMA : CODE
  const found = []
  let line = 1
  let counted = 0
  for (const match of text.matchAll(pattern)) {
    if (match.groups?.comment === undefined) continue
    line += text.slice(counted, match.index).split('\n').length - 1
    counted = match.index
    found.push({ line, text: match.groups.comment })
  }
  return found
}
