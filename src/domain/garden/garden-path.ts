import type { Refusal } from '../kernel/errors.ts'
import { ok, type Result, refuse } from '../kernel/result.ts'

/**
 * Paths of a garden ([garden#paths]).
 *
 * Gardens are real folders of notes, so what exists is admitted: any name that Git and file systems hold, byte for byte, as long as
 * everybody reads it as the same one line. A *new* name that is proposed is held to letters, digits and a few signs. Git itself accepts
 * newlines, symlink modes and `.g<zero-width>it`: this file is the guard, and every path passes it before anything is written.
 */
export type GardenPath = string & { readonly __brand: 'GardenPath' }

/** Folders at the root of the garden that notes may not enter. */
export const RESERVED_ROOTS = ['agents', '_bloom'] as const

/** Why a path is no garden path. */
export const PATH_FAULTS = {
  no_path: 'it is not a text',
  empty: 'it is empty',
  long_path: 'longer than 1 024 bytes',
  absolute: 'it is absolute',
  empty_name: 'an empty component',
  dots: 'a component of dots or spaces alone',
  git: 'a component that begins with .git',
  control: 'a control character or a line break',
  invisible: 'an invisible character',
  backslash: 'a backslash',
  long_name: 'a component longer than 255 bytes',
  new_name: 'a character that new names may not hold',
  new_form: 'it is not in normal form C',
} as const
export type PathFault = keyof typeof PATH_FAULTS

/** A combining mark counts as part of its letter (scripts that cannot be written without), never on its own. */
const NEW_COMPONENT = /^(?:[\p{L}\p{Nd} ._\-()'’,–—&!+@#]|(?<=[\p{L}\p{M}])\p{M})+$/u
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
/** U+FE0F is seen where it makes a sign a picture, and there alone. */
const INVISIBLE = /(?!(?<=[\p{Extended_Pictographic}\d#*])\uFE0F)[\p{Default_Ignorable_Code_Point}\p{Cf}]/u
const MAX_COMPONENT = 255
const MAX_PATH = 1024
/** Files of the product stand for a note below a longer path of their own. */
const MAX_OWN_PATH = MAX_PATH + 128

/** Bytes of a string in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

/** Two names with the same fold look alike: case, width, ignorable characters. New names are compared by it, and links. */
export const foldName = (name: string): string =>
  name
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC')

/** Two names with the same key are one file where letter case and the normal form do not count. */
export const fileKey = (name: string): string =>
  name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')

/** Two spellings of one name: the bytes may differ by the normal form. */
export const sameName = (a: string, b: string): boolean =>
  a === b || a.normalize('NFC') === b.normalize('NFC')

const looksLikeGit = (part: string): boolean =>
  /^(?:\.git|git~\d)/.test(foldName(part).normalize('NFD').replace(/\p{M}/gu, '').trimStart())

function faultOfName(part: string): PathFault | null {
  if (part === '') return 'empty_name'
  if (/^[.\s]+$/u.test(part)) return 'dots'
  if (looksLikeGit(part)) return 'git'
  if (CONTROL.test(part)) return 'control'
  if (INVISIBLE.test(part)) return 'invisible'
  if (part.includes('\\')) return 'backslash'
  return utf8Length(part) > MAX_COMPONENT ? 'long_name' : null
}

/** What keeps this text from being the path of a file that exists in a garden, or null. The text is judged as it is, never repaired. */
export function pathFault(text: unknown): PathFault | null {
  if (typeof text !== 'string') return 'no_path'
  if (text === '') return 'empty'
  const longest = text.startsWith('_bloom/') ? MAX_OWN_PATH : MAX_PATH
  if (text.length > longest || utf8Length(text) > longest) return 'long_path'
  if (text.startsWith('/')) return 'absolute'
  for (const part of text.split('/')) {
    const fault = faultOfName(part)
    if (fault) return fault
  }
  return null
}

/** What keeps this path from being made: beside `pathFault` the rules of new names, which begin behind `standing` names that are there. */
export function newPathFault(path: string, standing = 0): PathFault | null {
  const fault = pathFault(path)
  if (fault) return fault
  const made = path.split('/').slice(standing)
  if (made.some((part) => part !== part.normalize('NFC'))) return 'new_form'
  return made.some((part) => !NEW_COMPONENT.test(part)) ? 'new_name' : null
}

/** 422 `PATH_NOT_ALLOWED` with the reason. */
export const pathRefusal = (fault: PathFault): Refusal => ({
  code: 'PATH_NOT_ALLOWED',
  message: `Not a garden path: ${PATH_FAULTS[fault]}.`,
  details: { reason: PATH_FAULTS[fault] },
})

/** The path as that of a file in a garden, or 422 `PATH_NOT_ALLOWED` with the reason. */
export function parseGardenPath(text: unknown): Result<GardenPath> {
  const fault = pathFault(text)
  return fault ? refuse(pathRefusal(fault)) : ok(text as GardenPath)
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
