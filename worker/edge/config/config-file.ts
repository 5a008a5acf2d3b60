/**
 * `config.env`: assignments as a shell writes them, read as data. Nothing is executed [edge#settings].
 *
 * Understood: `export`, comments, single and double quotes (also glued to plain text), `$HOME`, `${HOME}`, and `~` at the begin
 * of a value. Everything else of a shell is text. The last assignment of a name counts. A line that is no assignment is
 * skipped and named, so that a typing error can be found.
 */
export type ConfigFile = {
  values: Record<string, string>
  /** Numbers of the lines that were skipped, from 1. */
  skipped: number[]
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/
const IGNORED = /^\s*(?:#.*)?$/

export function parseConfigFile(text: string, home: string): ConfigFile {
  const values: Record<string, string> = {}
  const skipped: number[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (IGNORED.test(line)) continue
    const [, name, raw] = ASSIGNMENT.exec(line) ?? []
    const value = raw === undefined ? null : parseValue(raw, home)
    if (name === undefined || value === null) skipped.push(index + 1)
    else values[name] = value
  }
  return { values, skipped }
}

/** One piece of a value: quoted singly, quoted doubly, blanks, or plain text. */
const PIECE = /'([^']*)'|"((?:[^"\\]|\\.)*)"|(\s+)|((?:[^\s'"\\]|\\.)+)/gy

/** The value of an assignment, or null when a quote is left open. A `#` after a blank begins a comment. */
function parseValue(raw: string, home: string): string | null {
  let value = ''
  let end = 0
  for (const piece of raw.matchAll(PIECE)) {
    const [text, single, double, blank, plain] = piece
    if (plain?.startsWith('#') && (end === 0 || /\s$/.test(raw.slice(0, end)))) return value.trim()
    end += text.length
    if (single !== undefined) value += single
    else if (double !== undefined) value += withoutEscapes(withHome(double, home), /\\(["\\$`])/g)
    else if (blank !== undefined) value += blank
    else if (plain !== undefined) {
      const expanded = value === '' ? plain.replace(/^~(?=\/|$)/, () => home) : plain
      value += withoutEscapes(withHome(expanded, home), /\\(.)/g)
    }
  }
  return end === raw.length ? value.trim() : null
}

const withHome = (text: string, home: string): string =>
  text.replace(/(?<!\\)\$(?:HOME(?![A-Za-z0-9_])|\{HOME\})/g, () => home)

const withoutEscapes = (text: string, escapes: RegExp): string => text.replace(escapes, '$1')
