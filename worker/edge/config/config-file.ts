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

/** The lines of a file; a byte order mark and the line ends of Windows are no part of them. */
export const configLines = (text: string): string[] => text.replace(/^\uFEFF/, '').split(/\r?\n/)

/** The name that a line assigns to, or null; the assignment may be one that cannot be read. */
export const assignedName = (line: string): string | null => ASSIGNMENT.exec(line)?.[1] ?? null

export function parseConfigFile(text: string, home: string): ConfigFile {
  const values: Record<string, string> = {}
  const skipped: number[] = []
  const lines = configLines(text)
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

/**
 * The value of an assignment, or null when a quote is left open. A `#` after a blank begins a comment; blanks around the value go,
 * quoted ones stay.
 */
function parseValue(raw: string, home: string): string | null {
  let value = ''
  let started = false
  let blanks = /^\s*/.exec(raw)?.[0] ?? ''
  let end = blanks.length
  for (const [text, single, double, blank, plain] of raw.slice(end).matchAll(PIECE)) {
    if (plain?.startsWith('#') && blanks !== '') return value
    end += text.length
    if (blank === undefined) {
      const piece =
        single ?? (double === undefined ? plainText(plain ?? '', started, home) : doublyQuoted(double, home))
      value += (started ? blanks : '') + piece
      started = true
    }
    blanks = blank ?? ''
  }
  return end === raw.length ? value : null
}

const doublyQuoted = (text: string, home: string): string =>
  withoutEscapes(withHome(text, home), /\\(["\\$`])/g)

const plainText = (text: string, started: boolean, home: string): string =>
  withoutEscapes(withHome(started ? text : text.replace(/^~(?=\/|$)/, () => home), home), /\\(.)/g)

const withHome = (text: string, home: string): string =>
  text.replace(/(?<!\\)\$(?:HOME(?![A-Za-z0-9_])|\{HOME\})/g, () => home)

const withoutEscapes = (text: string, escapes: RegExp): string => text.replace(escapes, '$1')
