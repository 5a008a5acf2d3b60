import {
  fitsInLine,
  isFolderStore,
  JOIN_NAMES,
  JOIN_NEEDED,
  type JoinName,
} from '#domain/membridge/join-text.rules.ts'
import { assignedName, configLines, parseConfigFile } from '../config/config-file.ts'
import { checkSettings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'

/**
 * Reads the text of the console's dialog [edge#joining]. All of it is right, or nothing is taken.
 *
 * What is refused is named by its line or its variable, never by its content: in a paste that was broken, anything may be a piece of a key.
 */
export type JoinedValues = Partial<Record<JoinName, string>>

const AGAIN = 'copy the whole text of the dialog again'

export function readJoinText(bytes: Uint8Array, home: string): JoinedValues {
  const text = decode(bytes)
  const { values, skipped } = parseConfigFile(text, home)
  if (skipped.length > 0)
    throw new EdgeFault(`line ${skipped[0]} of the text is no assignment, or a quote is left open: ${AGAIN}`)
  refuseForeignNames(text)
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  checkValues(given)
  return given
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new EdgeFault(`the text is not UTF-8: ${AGAIN}`)
  }
}

const isJoinName = (name: string): boolean => JOIN_NAMES.some((known) => known === name)

function refuseForeignNames(text: string): void {
  const seen = new Set<string>()
  for (const [index, line] of configLines(text).entries()) {
    const name = assignedName(line)
    if (name === null) continue
    if (!isJoinName(name))
      throw new EdgeFault(`line ${index + 1} of the text assigns nothing that such a text holds: ${AGAIN}`)
    if (seen.has(name)) throw new EdgeFault(`${name} is assigned twice: ${AGAIN}`)
    seen.add(name)
  }
}

/** The form in which a key can stand in a header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

function checkValues(values: JoinedValues): void {
  const faults = Object.entries(values)
    .filter(([, value]) => !fitsInLine(value))
    .map(([name]) => `${name} must be one line without control characters`)
  if (faults.length === 0) {
    const needed: JoinName[] = [...JOIN_NEEDED]
    if (!isFolderStore(values.MINIO_ENDPOINT ?? 'file:')) needed.push('MINIO_BUCKET')
    faults.push(...needed.filter((name) => !values[name]).map((name) => `${name} not set: ${AGAIN}`))
    if (!HEADER_TEXT.test(values.MEMBRIDGE_AGENT_KEY ?? 'x'))
      faults.push('MEMBRIDGE_AGENT_KEY must be printable ASCII')
    if (hasCredentials(values.MEMBRIDGE_SERVER_URL))
      faults.push('MEMBRIDGE_SERVER_URL must not hold a user name or a password')
  }
  if (faults.length > 0) throw new EdgeFault(faults.join('\nERROR: '))
  checkSettings(values)
}

function hasCredentials(address: string | undefined): boolean {
  const url = address === undefined ? null : URL.parse(address)
  return Boolean(url?.username || url?.password)
}
