import { fileKey } from './garden-path.ts'

/**
 * What keeps a new file from being made ([garden#paths]): the same that keeps git from writing the commit, so that what cannot be made is
 * refused where it is proposed and not when it is applied.
 */
export type Obstacle =
  /** Something of this very name: a file, or a folder. */
  | { kind: 'file' | 'folder'; path: string }
  /** A file where a folder has to be. */
  | { kind: 'file_above'; path: string }
  /** A name beside it that is the same where letter case and the normal form do not count. */
  | { kind: 'twin'; path: string }

/** `there`: the paths of everything that stands, whatever it is. Null when nothing is in the way. */
export function obstacleTo(path: string, there: readonly string[]): Obstacle | null {
  let below = there
  let folder = ''
  for (const part of path.split('/')) {
    const at = `${folder}${part}`
    const here = below.filter((other) => other === at || other.startsWith(`${at}/`))
    if (here.length === 0) return twinOf(part, folder, below)
    const isFile = here.includes(at)
    if (at === path) return { kind: isFile ? 'file' : 'folder', path: at }
    if (isFile) return { kind: 'file_above', path: at }
    below = here
    folder = `${at}/`
  }
  return null
}

function twinOf(part: string, folder: string, below: readonly string[]): Obstacle | null {
  const names = new Set(below.map((other) => other.slice(folder.length).split('/', 1)[0] ?? ''))
  const twin = [...names].find((name) => fileKey(name) === fileKey(part))
  return twin === undefined ? null : { kind: 'twin', path: `${folder}${twin}` }
}
