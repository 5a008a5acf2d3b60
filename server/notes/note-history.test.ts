import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import type { NoteScope } from '#contracts/note.contract.ts'
import type { NoteVersion } from '#contracts/note-history.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { tagsOfNotes } from '#server/garden/note-tags.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import {
  approve,
  editOf,
  humanCommit,
  noteOf,
  PERSON,
  propose,
} from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { getZoneProposal, listZoneProposals } from '#server/proposals/zone-proposals.query.ts'
import { shownInZone } from '#server/search/shown-in-zone.ts'
import { visibleEvents } from '#server/stream/visible-events.ts'
import { getExcerpt } from './get-note.query.ts'
import { compareNote, noteHistory } from './note-history.query.ts'

const NORTH = 'Beds/North.md'
const SOUTH = 'Beds/South.md'
/** By folder, and by a tag that North has not always had. */
const BEDS = { folders: ['Beds'], tags: [] }
const PUBLIC = { folders: [], tags: ['public'] }

const GUEST = { role: 'guest', identity: 'zone:0a0b0c0d', via: 'console', zoneId: '0a0b0c0d' } as Caller

let kit: NewKit
/** Revisions of North, the oldest first, and the proposals of the last two. */
let north: string[]
let proposals: string[]

beforeAll(async () => {
  kit = await newKit()
  const imported = await kit.garden.head()
  const came = await humanCommit(kit, NORTH, '---\ntags: [public]\n---\n# North bed\n\nLeeks are public.\n')
  const left = await humanCommit(kit, NORTH, '# North bed\n\nThe canary is buried here.\n')
  const edits = []
  for (const text of [
    '---\ntags: [public]\n---\n# North bed\n\nLeeks again.\n',
    '---\ntags: [public]\n---\n# North bed\n\nLeeks again, and *garlic*.\n',
  ]) {
    const input = editOf(`notes/${NORTH}`, { diff: { type: 'replace', text }, summary: `Now ${text.length}` })
    const { proposal_id } = await approve(kit, await propose(kit, input))
    await applyDue(kit.engine())
    edits.push({ proposal_id, revision: await kit.garden.head() })
  }
  await humanCommit(kit, SOUTH, null)
  await humanCommit(kit, SOUTH, '# South bed\n\nSown again.\n')
  north = [imported, came, left, ...edits.map(({ revision }) => revision)]
  proposals = edits.map(({ proposal_id }) => proposal_id)
})
afterAll(() => kit.end())

const history = (scope: NoteScope, input: { path?: string; limit?: number; cursor?: string } = {}) =>
  noteHistory(kit, scope, { path: NORTH, limit: 20, ...input })
/** Page after page: on a busy machine one ends before it is full. */
async function wholeHistory(scope: NoteScope) {
  const items: NoteVersion[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await history(scope, cursor ? { cursor } : {})
    items.push(...(page?.items ?? []))
    cursor = page?.next_cursor ?? null
  }
  return items
}
const revisionsOf = async (scope: NoteScope) =>
  (await wholeHistory(scope)).map((v) => north.indexOf(v.revision))

describe('the history of a note', () => {
  test('names who changed it, when, why and by which proposal', async () => {
    const found = await history(null)
    expect(found?.items.map((v) => [v.revision, v.author, v.proposal_id])).toEqual([
      [north[4], 'owner', proposals[1]],
      [north[3], 'owner', proposals[0]],
      [north[2], 'Owner', null],
      [north[1], 'Owner', null],
      [north[0], 'Owner', null],
    ])
    expect(found?.items[0]?.message).toMatch(/^Now \d+$/)
    expect(found?.items[2]?.message).toBe(`By hand: ${NORTH}`)
    expect(found?.next_cursor).toBeNull()
  })

  test('is cut into pages, by number and by time, without gap or repeat', async () => {
    for (const bounds of [
      { limit: 2, withinMs: 60_000 },
      { limit: 20, withinMs: 0 },
    ]) {
      const seen: string[] = []
      let from: string | undefined
      let pages = 0
      do {
        const page: Awaited<ReturnType<typeof kit.garden.fileHistory>> = await kit.garden.fileHistory(NORTH, {
          ...bounds,
          ...(from ? { from } : {}),
        })
        seen.push(...page.versions.map(({ commit }) => commit.oid))
        from = page.next ?? undefined
        pages++
      } while (from)
      expect(seen).toEqual(north.toReversed())
      expect(pages).toBeGreaterThan(2)
    }
  })

  test('shows where the note was deleted, to those who see the whole garden', async () => {
    const removed = async (scope: NoteScope) =>
      (await history(scope, { path: SOUTH }))?.items.map((v) => v.removed)
    expect(await removed(null)).toEqual([false, true, false])
    expect(await removed(BEDS)).toEqual([false, false])
  })

  test('is not there for a note that is not, or a revision that is no commit of the branch', async () => {
    expect(await history(null, { path: 'Beds/West.md' })).toBeNull()
    expect(await history(null, { cursor: 'a'.repeat(40) })).toBeNull()
    expect(await compareNote(kit, null, { path: NORTH, to: 'a'.repeat(40) })).toBeNull()
    expect(await compareNote(kit, null, { path: NORTH, to: north[4] ?? '', from: 'a'.repeat(40) })).toBeNull()
  })
})

describe('a guest', () => {
  test('sees the versions that lay in the zone, and of whom or why only what the zone shows', async () => {
    expect(await revisionsOf(BEDS)).toEqual([4, 3, 2, 1, 0])
    expect(await revisionsOf(PUBLIC)).toEqual([4, 3, 1])
    const items = await wholeHistory(PUBLIC)
    expect(items.map((v) => v.author)).toEqual([null, null, null])
    // The first proposal was made of a text outside the zone, and its diff would show it.
    expect(items.map((v) => v.proposal_id)).toEqual([proposals[1], null, null])
    expect(items.map((v) => v.message)).toEqual([expect.stringMatching(/^Now/), null, null])
    const first = await getZoneProposal(kit, PUBLIC, proposals[0] ?? '')
    expect(first).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } })
  })

  test('compares no version from outside, and reads no line of it', async () => {
    const compare = (to: number, from?: number) =>
      compareNote(kit, PUBLIC, {
        path: NORTH,
        to: north[to] ?? '',
        ...(from === undefined ? {} : { from: north[from] ?? '' }),
      })
    expect(await compare(2)).toBeNull()
    expect(await compare(0)).toBeNull()
    expect(await compare(3, 2)).toBeNull()
    const both = await compare(4, 1)
    expect(both).toMatchObject({
      from: { markdown: expect.stringContaining('Leeks are public.') },
      to: { markdown: expect.stringContaining('and *garlic*') },
    })
    expect(JSON.stringify(both)).not.toContain('canary')
    const lines = (scope: NoteScope) =>
      getExcerpt(kit.garden, scope, { path: NORTH, from: 1, to: 3, around: 3, revision: north[2] ?? '' })
    expect(JSON.stringify(await lines(null))).toContain('canary')
    expect(await lines(PUBLIC)).toBeNull()
  })

  test('has no past of a note that is not in the zone now', async () => {
    const elsewhere = { folders: ['Грядки'], tags: [] }
    expect(await history(elsewhere)).toBeNull()
    expect(await compareNote(kit, elsewhere, { path: NORTH, to: north[4] ?? '' })).toBeNull()
    await humanCommit(kit, NORTH, '# North bed\n\nPrivate from now on.\n')
    expect(await history(PUBLIC)).toBeNull()
    expect(await compareNote(kit, PUBLIC, { path: NORTH, to: north[4] ?? '' })).toBeNull()
  })
})

describe('a renamed note', () => {
  const BED = '# Bed\n\nLeeks in rows.\n\nGarlic between them.\n\nWatered on Mondays.\n'
  const SECRET = { folders: ['Beds', 'Shed'], tags: [] }
  const change = async (texts: Record<string, string | null>) => {
    const parent = await kit.garden.head()
    const changes = Object.entries(texts).map(([path, content]) => ({ path, content }))
    const person = { author: PERSON, committer: PERSON }
    const commit = await kit.garden.commit({ parent, changes, message: 'By hand', ...person })
    await kit.garden.updateBranch(parent, commit)
    return commit
  }
  let commits: string[]

  beforeAll(async () => {
    commits = [
      await change({ 'Shed/Old.md': BED }),
      // Moved without a change, beside another note that goes.
      await change({ 'Shed/Old.md': null, [SOUTH]: null, 'Beds/Old.md': BED }),
      await change({ 'Beds/Old.md': BED.replace('Mondays', 'Sundays') }),
      // Moved and changed at once, beside one that is new; a note comes to where it was.
      await change({
        ...{ 'Beds/Old.md': null, 'Beds/Bed.md': `${BED.replace('Mondays', 'Fridays')}Hoed.\n` },
        'Beds/Other.md': '# Other\n\nNothing of it.\n',
      }),
      await change({ 'Beds/Old.md': '# Old\n\nAnother canary.\n' }),
    ]
  })

  const of = (scope: NoteScope, input: { limit?: number; cursor?: string } = {}) =>
    history(scope, { path: 'Beds/Bed.md', ...input })
  const shown = async (scope: NoteScope, input = {}) =>
    (await of(scope, input))?.items.map((v) => [commits.indexOf(v.revision), v.renamed_from])

  test('goes on by its old paths, page after page, and compares over them', async () => {
    const all = [
      [3, 'Beds/Old.md'],
      [2, null],
      [1, 'Shed/Old.md'],
      [0, null],
    ]
    expect(await shown(null)).toEqual(all)
    expect(await shown(SECRET)).toEqual(all)
    const names = (await of(SECRET))?.items.map((v) => v.version) ?? []
    for (const [n, cursor] of names.entries())
      expect(await shown(SECRET, { limit: 1, cursor })).toEqual([all[n]])
    const { next_cursor } = (await of(SECRET, { limit: 1 })) ?? {}
    expect(next_cursor).toBe(names[1])
    const [to = '', , , from = ''] = names
    const both = await compareNote(kit, SECRET, { path: 'Beds/Bed.md', to, from })
    expect([both?.to.markdown, both?.from?.markdown]).toEqual([`${BED.replace('Mon', 'Fri')}Hoed.\n`, BED])
    expect((await history(null, { path: 'Beds/Other.md' }))?.items).toMatchObject([{ renamed_from: null }])
  })

  test('of a guest begins where it came into the zone, and nothing tells whence', async () => {
    const past = [[3, 'Beds/Old.md'], ...[2, 1].map((n) => [n, null])]
    expect(await shown(BEDS)).toEqual(past)
    expect(JSON.stringify(await of(BEDS))).not.toContain('Shed')
    // By the tags of the text that it had there, too.
    await change({ 'Tagged/a.md': BED })
    await change({ 'Tagged/a.md': null, 'Tagged/b.md': `---\ntags: [public]\n---\n${BED}` })
    await change({ 'Tagged/b.md': null, 'Tagged/c.md': `---\ntags: [public]\n---\n${BED}Hoed.\n` })
    const tagged = await history(PUBLIC, { path: 'Tagged/c.md' })
    expect(tagged?.items.map((v) => v.renamed_from)).toEqual(['Tagged/b.md', null])
    expect(JSON.stringify(tagged)).not.toContain('Tagged/a.md')
  })

  test('has no version by a name that was made up', async () => {
    const [, moved, , renamed, later] = commits
    const forged = [
      // A path from outside the zone.
      `${commits[0]}.${renamed}.${moved}`,
      // A commit that renamed nothing, or did not rename this one; one out of its order.
      `${commits[2]}.${commits[2]}`,
      `${commits[0]}.${moved}`,
      `${commits[2]}.${moved}.${renamed}`,
      // What stands at the old path since is another note.
      `${later}.${renamed}`,
    ]
    for (const name of forged) {
      expect(await of(BEDS, { cursor: name })).toBeNull()
      expect(await compareNote(kit, BEDS, { path: 'Beds/Bed.md', to: name })).toBeNull()
    }
    expect(await shown(BEDS, { cursor: `${commits[1]}.${renamed}` })).toEqual([[1, null]])
  })
})

test('a guest sees no proposal whose diff holds a text that was outside the zone, nor finds it or is told of it', async () => {
  const tagged = (text: string) => `---\ntags: [public]\n---\n# Shed\n\n${text}\n`
  const applied = async (path: string, input: SubmitEntryInput) => {
    const { proposal_id } = await approve(kit, await propose(kit, input))
    await applyDue(kit.engine())
    return { id: proposal_id, path }
  }
  const edit = (path: string, text: string) =>
    editOf(`notes/${path}`, { diff: { type: 'replace', text }, summary: `Canary edit of ${path}` })
  // Made untagged, with a line that the zone is not to see.
  const made = await applied('Made.md', noteOf('Made.md', '# Shed\n\nThe canary is in the shed.\n'))
  await humanCommit(kit, 'Made.md', tagged('Nothing.'))
  // Between two texts of the zone one that is not.
  await humanCommit(kit, 'Left.md', tagged('Nothing.'))
  const left = await applied('Left.md', edit('Left.md', '# Shed\n\nThe canary again.\n'))
  await humanCommit(kit, 'Left.md', tagged('Nothing.'))
  const shown = await applied('Left.md', edit('Left.md', tagged('Garlic.')))
  // Not decided: one that stays in the zone, and one that would leave it.
  const waiting = async (text: string) => ({
    id: (await propose(kit, edit('Left.md', text))).proposal_id,
    path: 'Left.md',
  })
  const [stays, leaves] = [await waiting(tagged('Leeks.')), await waiting('# Shed\n\nA canary to come.\n')]
  for (const { id, path } of [made, left, leaves]) {
    expect(await getZoneProposal(kit, PUBLIC, id)).toMatchObject({ ok: false })
    const versions = (await noteHistory(kit, PUBLIC, { path, limit: 20 }))?.items
    expect(versions?.map((v) => v.proposal_id)).not.toContain(id)
  }
  const all = [made, left, shown, stays, leaves].map(({ id }) => id)
  const rows = all.map((id) => ({ id, title: id, detail: null, status: null, paths: null }))
  const found = await shownInZone(kit, PUBLIC, { kind: 'proposal', rows })
  expect(found.map(({ id }) => id)).toEqual([shown.id, stays.id])
  const events = all.map((id) => ({
    ...{ name: 'proposal.applied', resource_type: 'proposal', resource_id: id, correlation_id: null },
  })) as unknown as SealedEvent[]
  await kit.db.query(sql`INSERT INTO zone (zone_id, name, folders, tags, consent_policy, code_hash, link_hash, created_by, expires_at)
    VALUES ('0a0b0c0d', 'Readers', '{}', ${PUBLIC.tags}, 'Be kind.', 'c', 'l', 'owner', clock_timestamp() + interval '1 hour')`)
  const notified = await visibleEvents(kit, GUEST, events, (paths) => tagsOfNotes(kit.garden, paths))
  expect(notified.map((e) => e.resource_id)).toEqual(['zone', 'zone', shown.id, stays.id, 'zone'])
  const { items } = await listZoneProposals(kit, PUBLIC, { limit: 50 })
  expect(items.map((item) => item.id)).toEqual(expect.arrayContaining([shown.id, stays.id]))
  expect(JSON.stringify(items)).not.toContain('canary')
})
