import { describe, expect, it } from 'vitest'
import { MOST_FOLDERS, treeLevels } from './note-tree.rules.ts'

const notesOf = (paths: readonly string[]) =>
  paths.map((path) => ({ path, title: path.split('/').at(-1) ?? '' }))

describe('levels of the tree', () => {
  it('hold what lies directly in a folder, and count what lies below', () => {
    const notes = notesOf([
      'a.md',
      'Beds/b 10.md',
      'Beds/b 9.md',
      'Beds/North/c.md',
      'Beds/North/Far/d.md',
      'Bedside/e.md',
    ])
    expect(treeLevels(notes, ['', 'Beds', 'Beds/North', 'Nowhere'])).toEqual([
      {
        folder: '',
        folders: [
          { path: 'Beds', name: 'Beds', notes: 4 },
          { path: 'Bedside', name: 'Bedside', notes: 1 },
        ],
        notes: [{ path: 'a.md', title: 'a.md' }],
        more: 0,
      },
      {
        folder: 'Beds',
        folders: [{ path: 'Beds/North', name: 'North', notes: 2 }],
        notes: [
          { path: 'Beds/b 9.md', title: 'b 9.md' },
          { path: 'Beds/b 10.md', title: 'b 10.md' },
        ],
        more: 0,
      },
      {
        folder: 'Beds/North',
        folders: [{ path: 'Beds/North/Far', name: 'Far', notes: 1 }],
        notes: [{ path: 'Beds/North/c.md', title: 'c.md' }],
        more: 0,
      },
      { folder: 'Nowhere', folders: [], notes: [], more: 0 },
    ])
  })

  it('of a large garden name a bounded part of it, and count the rest', () => {
    const folders = Array.from({ length: MOST_FOLDERS - 1 }, (_, n) => `Folder ${n}`)
    const paths = folders.flatMap((folder) => Array.from({ length: 60 }, (_, n) => `${folder}/${n}.md`))
    const levels = treeLevels(notesOf(paths), ['', ...folders])
    const named = levels.flatMap((level) => level.notes)
    expect(named.length).toBeLessThanOrEqual(2_000)
    expect(named.length + levels.reduce((sum, { more }) => sum + more, 0)).toBe(
      paths.length + levels[0]!.more,
    )
    const one = treeLevels(notesOf(Array.from({ length: 10_000 }, (_, n) => `f${n}/n.md`)), [''])[0]!
    expect([one.folders.length, one.more]).toEqual([500, 9_500])
  })
})
