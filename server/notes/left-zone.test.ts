import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SubmitEntryInput } from '#contracts/inbox.contract.ts'
import type { NoteScope } from '#contracts/note.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { readWhole } from '#server/garden/garden-reading.ts'
import { tagsOfNotes } from '#server/garden/note-tags.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { approve, editOf, noteOf, PERSON, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { getZoneProposal, listZoneProposals } from '#server/proposals/zone-proposals.query.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { shownInZone } from '#server/search/shown-in-zone.ts'
import { visibleEvents } from '#server/stream/visible-events.ts'
import { getNote } from './get-note.query.ts'
import { noteHistory } from './note-history.query.ts'
import { gardenIsRead, noteIsRead } from './testing/garden-is-read.ts'

const tagged = (tag: string, text: string) => `---\ntags: [${tag}]\n---\n${text}`
const ANNA = '# Divorce of Anna\n\nThe lawyer said that [[North]] must be sold by May.\n'
const LEEKS = '# Leeks\n\nThey grow in [[North]].\n'
const NORTH = '# North bed\n\nOf [[Anna]] and [[Leeks]].\n'
/** By folder, and by tag. */
const ZONES = [
  ['of a folder', { folders: ['Shared'], tags: [] }],
  ['of a tag', { folders: [], tags: ['open'] }],
] as const

let kit: NewKit
/** The commit before Anna's note left both zones. */
let before: string

beforeAll(async () => {
  kit = await newKit({
    notes: {
      'Shared/North.md': tagged('open', NORTH),
      'Shared/Anna.md': tagged('open', ANNA),
      'Shared/Leeks.md': tagged('open', LEEKS),
    },
  })
  before = await kit.garden.head()
  await change({ 'Shared/Anna.md': null, 'Private/Anna.md': tagged('secret', ANNA) })
})
afterAll(() => kit.end())

async function change(texts: Record<string, string | null>): Promise<void> {
  const parent = await kit.garden.head()
  const changes = Object.entries(texts).map(([path, content]) => ({ path, content }))
  const by = { message: 'By hand', author: PERSON, committer: PERSON }
  await kit.garden.updateBranch(parent, await kit.garden.commit({ parent, changes, ...by }))
}

describe.each(ZONES)('a note that left a zone %s', (_, scope) => {
  const northAt = async (who: NoteScope, revision: string) => {
    await gardenIsRead(kit.garden)
    await readWhole((await gardenAt(kit.garden, revision)).notes)
    await noteIsRead(kit.garden, 'Shared/North.md')
    return getNote(kit.garden, who, { path: 'Shared/North.md', revision })
  }

  test('is no backlink and no link of an old revision that the history lists', async () => {
    const history = await noteHistory(kit, scope, { path: 'Shared/North.md', limit: 20 })
    expect(history?.items.map((v) => v.revision)).toEqual([before])
    const [owner, guest] = [await northAt(null, before), await northAt(scope, before)]
    expect(owner?.backlinks.map(({ path }) => path)).toEqual(['Shared/Anna.md', 'Shared/Leeks.md'])
    expect(owner?.links.map(({ path }) => path)).toEqual(['Shared/Anna.md', 'Shared/Leeks.md'])
    const leeks = { path: 'Shared/Leeks.md', title: 'Leeks', text: 'They grow in North.' }
    expect(guest?.backlinks).toEqual([leeks])
    expect(guest?.links.map(({ path }) => path)).toEqual([null, leeks.path])
    expect(guest?.reading).toBe(false)
    expect(JSON.stringify(guest)).not.toMatch(/Shared\/Anna|lawyer/)
  })
})

type Objects = { kind: 'proposal' | 'artifact'; of: string[]; paths: string[] | null }

describe('what was made of a note that left a zone', () => {
  const BED = 'Shared/Bed.md'
  const edit = (text: string) =>
    editOf(`notes/${BED}`, { diff: { type: 'replace', text: tagged('open', text) }, summary: 'An edit' })
  const applied = async (input: SubmitEntryInput) => {
    const { proposal_id } = await approve(kit, await propose(kit, input))
    await applyDue(kit.engine())
    return proposal_id
  }
  let ids: string[]

  beforeAll(async () => {
    ids = [
      await applied(noteOf(BED, tagged('open', '# Bed\n\nThe canary is buried here.\n'))),
      await applied(edit('# Bed\n\nThe canary is dug up.\n')),
      (await propose(kit, edit('# Bed\n\nThe canary flies.\n'))).proposal_id,
      // Of a note that is still to come: there is nothing of it that could have left.
      (await propose(kit, noteOf('Shared/New.md', tagged('open', '# New\n\nKale.\n')))).proposal_id,
    ]
    for (const [n, [, { folders, tags }]] of ZONES.entries())
      await kit.db.query(sql`INSERT INTO zone (zone_id, name, folders, tags, consent_policy, code_hash, link_hash, created_by, expires_at)
        VALUES (${`0a0b0c0${n}`}, 'Readers', ${[...folders]}, ${[...tags]}, '', ${`c${n}`}, ${`l${n}`}, 'owner', clock_timestamp() + interval '1 hour')`)
  })

  const asGuest = (n: 0 | 1) =>
    ({ role: 'guest', identity: 'zone', via: 'console', zoneId: `0a0b0c0${n}` }) as Caller
  /** Which of these are found in a search, and which of their events are sent. */
  async function foundAndSent(n: 0 | 1, { kind, of, paths }: Objects): Promise<string[][]> {
    const rows = of.map((id) => ({ id, title: id, detail: null, status: null, paths }))
    const found = await shownInZone(kit, ZONES[n][1], { kind, rows })
    const events = of.map((id) => ({
      ...{ name: 'created', resource_type: kind, resource_id: id, correlation_id: null },
    })) as unknown as SealedEvent[]
    const sent = await visibleEvents(kit, asGuest(n), events, (some) => tagsOfNotes(kit.garden, some))
    return [found.map(({ id }) => id), sent.map((event) => event.resource_id)]
  }
  /** Which of the proposals are opened, listed, found, and sent by their events. */
  async function seen(n: 0 | 1) {
    const scope = ZONES[n][1]
    const opened = await Promise.all(ids.map((id) => getZoneProposal(kit, scope, id)))
    const { items } = await listZoneProposals(kit, scope, { limit: 50 })
    const beside = await foundAndSent(n, { kind: 'proposal', of: ids, paths: null })
    const positionsOf = (some: string[]) => some.map((id) => ids.indexOf(id)).sort()
    return [
      opened.flatMap(({ ok }, i) => (ok ? [i] : [])),
      positionsOf(items.map(({ id }) => id)),
      ...beside.map(positionsOf),
    ]
  }
  const everywhere = (some: number[]) => [some, some, some, some]

  test('is not there any more; the proposal of a new note stays as it was', async () => {
    expect(await seen(0)).toEqual(everywhere([0, 1, 2, 3]))
    expect(await seen(1)).toEqual(everywhere([0, 1, 2]))
    const artifacts = { kind: 'artifact' as const, of: ['art-bed'], paths: [BED] }
    await kit.db.query(sql`INSERT INTO artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes, source_paths)
      VALUES ('art-bed', 'gardener', 'BRIEF', 'Bed', 'k/bed', ${'0'.repeat(64)}, 10, ${[BED]})`)
    for (const n of [0, 1] as const)
      expect(await foundAndSent(n, artifacts)).toEqual([['art-bed'], ['art-bed']])
    await change({ [BED]: null, 'Private/Bed.md': tagged('secret', '# Bed\n') })
    expect(await seen(0)).toEqual(everywhere([3]))
    expect(await seen(1)).toEqual(everywhere([]))
    for (const n of [0, 1] as const) expect(await foundAndSent(n, artifacts)).toEqual([[], []])
  })
})
