import { foldName, sameName } from '#domain/garden/garden-path.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

/** Where a path that somebody names lies in the garden. */
export type PathLocation = {
  /** Spelled as the garden spells what is there; names that are not there as they were given. */
  path: string
  exists: boolean
  /** How many of its names are there. */
  standing: number
  /** A name beside the first one that is not there, which looks alike and is another. */
  twin: string | null
}

/** Finds a path at a revision. Names are compared by their normal form, since the same name may be typed in either; the bytes of the garden count. */
export async function locatePath(
  garden: Pick<GitRepository, 'list' | 'read'>,
  revision: string,
  path: string,
): Promise<PathLocation> {
  const parts = path.split('/')
  if (await garden.read(path, revision)) return { path, exists: true, standing: parts.length, twin: null }
  let below = (await garden.list(revision)).map((entry) => entry.path)
  const found: string[] = []
  for (const part of parts) {
    const from = found.reduce((length, name) => length + name.length + 1, 0)
    const names = new Set(below.map((at) => at.slice(from).split('/', 1)[0] ?? ''))
    const name = names.has(part) ? part : [...names].find((other) => sameName(other, part))
    if (name === undefined) {
      const twin = [...names].find((other) => foldName(other) === foldName(part)) ?? null
      return {
        path: [...found, ...parts.slice(found.length)].join('/'),
        exists: false,
        standing: found.length,
        twin,
      }
    }
    found.push(name)
    const at = found.join('/')
    below = below.filter((other) => other === at || other.startsWith(`${at}/`))
  }
  const spelled = found.join('/')
  return { path: spelled, exists: below.includes(spelled), standing: found.length, twin: null }
}
