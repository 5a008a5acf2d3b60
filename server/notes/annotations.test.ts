import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NoteScope } from '#contracts/note.contract.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { approve, humanCommit, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { commentsOn, summaryOf } from './annotations.query.ts'

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
})
afterAll(() => kit.end())

const NORTH = 'Beds/North.md'
const ZONE = { folders: ['Beds'], tags: [] }
const write = async (action: 'propose-comment' | 'propose-summary', text: string, path = NORTH) => {
  const payload = { text, summary: text.slice(0, 100) }
  const row = await approve(kit, await propose(kit, { intent: { action, target: `notes/${path}`, payload } }))
  await applyDue(kit.engine())
  return row.proposal_id
}
const comments = async (scope: NoteScope = null, revision?: string) =>
  commentsOn(kit, scope, { address: `notes/${NORTH}`, revision: revision ?? (await kit.garden.head()) })
const summary = async (scope: NoteScope = null) =>
  summaryOf(kit, scope, { path: NORTH, revision: await kit.garden.head() })

test('comments stand beside their note with author, time and proposal, in the order of their time', async () => {
  const before = await kit.garden.head()
  const ids = [
    await write('propose-comment', 'Water more.'),
    await write('propose-comment', 'See [[South]].'),
  ]
  await write('propose-comment', 'Of another note.', 'Beds/South.md')
  const by = (id: string) => ({ author: 'owner', at: expect.any(String), proposal_id: id })
  expect(await comments()).toMatchObject(ids.map(by))
  expect(JSON.stringify(await comments())).toContain('/notes/Beds/South.md')
  expect(await comments(null, before)).toEqual([])
})

test('a summary names the proposal that it comes from, until somebody changes it by hand', async () => {
  expect(await summary()).toBeNull()
  await write('propose-summary', 'Leeks.')
  const id = await write('propose-summary', 'Leeks and garlic.')
  expect(await summary()).toMatchObject({ author: 'owner', proposal_id: id })
  expect(JSON.stringify((await summary())?.content)).not.toContain('summary_of')
  await humanCommit(kit, `_bloom/summaries/${NORTH}`, 'By hand.\n')
  expect(await summary()).toMatchObject({ author: null, proposal_id: null })
})

test('a guest reads the texts and not whose they are', async () => {
  const seen = [...(await comments(ZONE)), await summary(ZONE)]
  expect(seen).toHaveLength(3)
  for (const annotation of seen) expect(annotation).toMatchObject({ author: null, proposal_id: null })
  expect(JSON.stringify(await comments({ folders: [], tags: ['none'] }))).not.toContain('/notes/')
})
