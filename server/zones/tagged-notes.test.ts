import { afterAll, beforeAll, expect, it } from 'vitest'
import { tagsOfNotes } from '#server/garden/note-tags.ts'
import { previewZone } from '#server/notes/preview-zone.query.ts'
import { gardenIsRead } from '#server/notes/testing/garden-is-read.ts'
import { visibleGarden } from '#server/notes/visible-notes.ts'
import { editOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { listZoneProposals } from '#server/proposals/zone-proposals.query.ts'

const SHOWN: Record<string, string> = {
  'List.md': '---\ntags: [bed, shared]\n---\n# A\n',
  'Words.md': '---\ntags: bed shared\n---\n# A\n',
  'Fence.md': '--- \ntags: [shared]\n--- \n# A\n',
  'Text.md': '# A\n\nFor all #shared and #bed.\n',
}
const HIDDEN: Record<string, string> = {
  'None.md': '# A\n',
  'Code.md': '# A\n\n`#shared`\n',
  'Broken.md': '---\ntags: [shared\n---\n# A\n',
  'Other.md': '---\ntags: [shared-not]\n---\n# A #shared\n',
}
const SCOPE = { folders: [], tags: ['shared'] }
let kit: NewKit
beforeAll(async () => {
  kit = await newKit({ notes: { ...SHOWN, ...HIDDEN } })
})
afterAll(() => kit.end())

it('notes, proposals and citations of a zone go by the same tags', async () => {
  const paths = [...Object.keys(SHOWN), ...Object.keys(HIDDEN)]
  const expected = Object.keys(SHOWN).sort()
  for (const path of paths.filter((one) => one !== 'Broken.md')) {
    const diff = { type: 'append', position: 'end', text: 'More.\n' }
    await propose(kit, editOf(`notes/${path}`, { diff, summary: path }))
  }
  await gardenIsRead(kit.garden)
  const { notes } = await visibleGarden(kit.garden, SCOPE)
  expect(notes.map((note) => note.path).sort()).toEqual(expected)
  expect(await previewZone(kit.services, SCOPE)).toEqual({
    ...{ notes: expected.length, unknown_folders: [], unknown_tags: [], reading: false },
  })
  const guessed = { folders: ['Nowhere', '/'], tags: ['SHARED', 'nothing'] }
  expect(await previewZone(kit.services, guessed)).toMatchObject({
    ...{ notes: 0, unknown_folders: ['Nowhere', '/'], unknown_tags: ['nothing'] },
  })
  const { items } = await listZoneProposals(kit.services, SCOPE, { limit: 50 })
  expect(items.map((item) => item.summary).sort()).toEqual(expected)
  const tags = await tagsOfNotes(kit.garden, [...paths, 'Gone.md'])
  expect(paths.filter((path) => tags.get(path)?.includes('shared')).sort()).toEqual(expected)
  expect(tags.get('Gone.md')).toEqual([])
})
