import type { Refusal } from '../kernel/errors.ts'
import { ok, type Result, refuse } from '../kernel/result.ts'

/**
 * Paths of a garden ([garden#paths]).
 *
 * Gardens are real folders of notes, so letters and digits of any script are welcome. Git itself accepts newlines,
 * symlink modes and `.g<zero-width>it`: this file is the guard, and every path passes it before anything is written.
 * A combining mark counts as part of its letter (scripts that cannot be written without), never on its own.
 */
export type GardenPath = string & { readonly __brand: 'GardenPath' }

/** Folders at the root of the garden that notes may not enter. */
export const RESERVED_ROOTS = ['agents', '_bloom'] as const

const COMPONENT = /^(?:[\p{L}\p{Nd} ._\-()'’]|(?<=[\p{L}\p{M}])\p{M})+$/u
const IGNORABLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}/u
const MAX_COMPONENT = 255
const MAX_PATH = 1024

/** Bytes of a string in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** Two names with the same fold are the same name on some file system: case, width, ignorable characters. */
export const foldName = (name: string): string =>
  name
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')

const looksLikeGit = (part: string): boolean =>
  foldName(part).normalize('NFD').replace(/\p{M}/gu, '').trimStart().startsWith('.git')

function faultOf(part: string): string | null {
  if (part === '') return 'an empty component'
  if (/^[. ]+$/.test(part)) return 'a component of dots or spaces alone'
  if (looksLikeGit(part)) return 'a component that begins with .git'
  if (IGNORABLE.test(part)) return 'an invisible character'
  if (!COMPONENT.test(part)) return 'a character that garden paths may not hold'
  if (utf8Length(part) > MAX_COMPONENT) return 'a component longer than 255 bytes'
  return null
}

/** The path as a garden path, or 422 `PATH_NOT_ALLOWED` with the reason. The text is judged as it is, never repaired. */
export function parseGardenPath(text: unknown): Result<GardenPath> {
  const no = (why: string): Result<never> => {
    const refusal: Refusal = {
      code: 'PATH_NOT_ALLOWED',
      message: `Not a garden path: ${why}.`,
      details: { reason: why },
    }
    return refuse(refusal)
  }
  if (typeof text !== 'string' || text === '') return no('it is empty')
  if (text.length > MAX_PATH || utf8Length(text) > MAX_PATH) return no('longer than 1 024 bytes')
  if (text.startsWith('/')) return no('it is absolute')
  if (text !== text.normalize('NFC')) return no('it is not in normal form C')
  for (const part of text.split('/')) {
    const fault = faultOf(part)
    if (fault) return no(fault)
  }
  return ok(text as GardenPath)
}

/** True for a path that notes may use: a garden path whose first component is not reserved, in whatever case. */
export function isNotePath(text: unknown): boolean {
  const parsed = parseGardenPath(text)
  if (!parsed.ok) return false
  const root = foldName(parsed.value.split('/')[0] ?? '')
  return !RESERVED_ROOTS.some((reserved) => foldName(reserved) === root)
}

/** True for Markdown files, the only ones the garden shows as notes. */
export const isMarkdown = (path: string): boolean => /\.md$/i.test(path)

/** The last component without `.md`. */
export const noteName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.md$/i, '')
