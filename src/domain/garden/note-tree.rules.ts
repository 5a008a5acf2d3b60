/** Levels of the folder tree, and how much of it one answer holds, whatever the size of the garden. */

/** Folders that are asked for at once, the garden itself among them. */
export const MOST_FOLDERS = 48

/** Folders, and notes, of one folder that are named; the list has the rest. */
const NAMED = 500
/** And of all of them together. */
const NAMED_AT_ONCE = 2_000

type Note = { path: string; title: string }
/** What lies directly in a folder; `notes` of a folder in it counts what lies below it, `more` the notes that are not named here. */
export type TreeLevel = {
  folder: string
  folders: { path: string; name: string; notes: number }[]
  notes: Note[]
  more: number
}

/**
 * What of these notes lies directly in each of these folders (the empty string is the garden itself): folders by name, then notes by title. A folder
 * without notes is empty, as one that is not there.
 */
export function treeLevels(notes: readonly Note[], asked: readonly string[]): TreeLevel[] {
  const found = new Map(
    asked.map((folder) => [folder, { below: new Map<string, number>(), notes: [] as Note[] }]),
  )
  for (const note of notes) {
    const parts = note.path.split('/')
    let folder = ''
    for (const [depth, name] of parts.entries()) {
      const level = found.get(folder)
      if (level && depth === parts.length - 1) level.notes.push(note)
      else if (level) level.below.set(name, (level.below.get(name) ?? 0) + 1)
      folder = depth === 0 ? name : `${folder}/${name}`
    }
  }
  const named = Math.min(NAMED, Math.floor(NAMED_AT_ONCE / Math.max(1, found.size)))
  return [...found].map(([folder, level]) => levelOf(folder, level, named))
}

const byName = new Intl.Collator('uk', { numeric: true, sensitivity: 'base' }).compare

function levelOf(
  folder: string,
  { below, notes }: { below: ReadonlyMap<string, number>; notes: readonly Note[] },
  named: number,
): TreeLevel {
  const prefix = folder === '' ? '' : `${folder}/`
  const folders = [...below].sort(([a], [b]) => byName(a, b))
  const sorted = notes.toSorted((a, b) => byName(a.title, b.title) || (a.path < b.path ? -1 : 1))
  const unnamed = folders.slice(named).reduce((sum, [, count]) => sum + count, 0)
  return {
    folder,
    folders: folders
      .slice(0, named)
      .map(([name, count]) => ({ path: `${prefix}${name}`, name, notes: count })),
    notes: sorted.slice(0, named).map(({ path, title }) => ({ path, title })),
    more: Math.max(0, sorted.length - named) + unnamed,
  }
}
