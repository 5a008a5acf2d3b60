import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { suggestionInput } from '#contracts/suggestion.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { editOf, eventsOf, noteOf, OWNER, rowOf } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { changeZone } from '#server/zones/change-zone.ts'
import { submitEntry } from './submit-entry.ts'
import { suggestChange } from './suggest-change.ts'

const NORTH = 'Beds/North.md'
const ZONE = '0a0b0c0d'

let kit: NewKit
let guests = 0
let guest: Caller
beforeAll(async () => {
  kit = await newKit()
  await kit.db.query(sql`INSERT INTO zone (zone_id, name, folders, tags, consent_policy, code_hash, link_hash, created_by, expires_at)
    VALUES (${ZONE}, 'Readers', ${['Beds']}, '{}', 'Be kind.', 'c', 'l', 'owner', clock_timestamp() + interval '1 hour')`)
})
afterAll(() => kit.end())
beforeEach(async () => {
  guest = {
    role: 'guest',
    identity: `zone:${ZONE}`,
    via: 'console',
    zoneId: ZONE,
    sessionId: `guest-${++guests}`,
  } as Caller
  await turn(true)
})

const turn = (suggestions: boolean) => changeZone(kit.services, { zone_id: ZONE, suggestions }, OWNER)
const suggest = (text: string, more: object = {}) =>
  suggestChange(kit.services, suggestionInput.parse({ path: NORTH, text, ...more }), guest)
const entries = async () => {
  const { rows } = await kit.db.query<{
    inbox_id: string
    source_type: string
    source_identity: string
    resolution_id: string
  }>(
    sql`SELECT inbox_id, source_type, source_identity, resolution_id FROM inbox_entry ORDER BY received_at, inbox_id`,
  )
  return rows
}

describe('a suggestion of a guest', () => {
  test('has a summary that cuts no character in two', async () => {
    expect(await suggest(`${'s'.repeat(187)}🌱 grows.`)).toMatchObject({ ok: true })
    const proposal = await rowOf(kit, (await entries()).at(-1)?.resolution_id ?? '')
    expect(proposal.summary).toBe(`Suggestion: ${'s'.repeat(187)}`)
  })

  test('arrives as an entry of the zone, tainted, and waits for the owner', async () => {
    expect(await suggest('Sown in March.\nNot in May.', { quote: 'Leeks and\ngarlic.' })).toEqual({
      ok: true,
      value: { received: true },
    })
    const entry = (await entries()).at(-1)
    expect(entry).toMatchObject({ source_type: 'zone', source_identity: `zone:${ZONE}` })
    const proposal = await rowOf(kit, entry?.resolution_id ?? '')
    expect(proposal).toMatchObject({
      status: 'PENDING',
      tainted: true,
      action: 'propose-comment',
      source_identity: `zone:${ZONE}`,
      summary: 'Suggestion: Sown in March.',
    })
    expect(proposal.changes).toHaveLength(1)
    expect(proposal.changes[0]?.path).toMatch(/^_bloom\/comments\/Beds\/North\.md\//)
    expect(proposal.changes[0]?.text).toContain('> Leeks and\n> garlic.\n\nSown in March.\nNot in May.\n')
    expect((await eventsOf(kit, entry?.inbox_id ?? '')).map(({ name }) => name)).toEqual([
      'inbox.received',
      'inbox.processed',
    ])
  })

  test('that says the same again is received, and changes nothing', async () => {
    const before = await kit.db.query(sql`SELECT 1 FROM proposal`)
    expect(await suggest('Once is enough.')).toMatchObject({ ok: true })
    expect(await suggest('Once is enough.')).toEqual({ ok: true, value: { received: true } })
    expect((await kit.db.query(sql`SELECT 1 FROM proposal`)).rows).toHaveLength(before.rows.length + 1)
  })

  test('is refused where the owner has not turned it on, and of a note outside the zone', async () => {
    const before = (await entries()).length
    expect(await suggest('Hear me.', { path: 'Грядки/Північна.md' })).toEqual(
      await suggest('Hear me.', { path: 'Грядки/Немає.md' }),
    )
    expect(await suggest('Hear me.', { path: 'Грядки/Північна.md' })).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
    await turn(false)
    expect(await suggest('Hear me.')).toMatchObject({ refusal: { code: 'SUGGESTIONS_OFF' } })
    expect(await entries()).toHaveLength(before)
    const { rows } = await kit.db.query<{ actor: string; suggestions: boolean }>(
      sql`SELECT actor, (details->>'suggestions')::boolean AS suggestions FROM event WHERE name = 'zone.extended' ORDER BY id DESC LIMIT 2`,
    )
    expect(rows).toEqual([false, true].map((suggestions) => ({ actor: 'owner', suggestions })))
  })

  test('is bounded by number and by length', async () => {
    for (let n = 0; n < 5; n++) expect(await suggest(`Number ${n}.`)).toMatchObject({ ok: true })
    expect(await suggest('One too many.')).toMatchObject({
      refusal: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) },
    })
    expect(suggestionInput.safeParse({ path: NORTH, text: 'x'.repeat(2_001) }).success).toBe(false)
    expect(suggestionInput.safeParse({ path: NORTH, text: 'x', tainted: false }).success).toBe(false)
  })

  test('is all that a guest can submit', async () => {
    const zone = { sourceType: 'zone', tainted: true } as const
    const edit = editOf(`notes/${NORTH}`, { diff: { type: 'append', position: 'end', text: 'x' } })
    const before = (await kit.db.query(sql`SELECT 1 FROM proposal`)).rows.length
    for (const [input, origin] of [
      [edit, zone],
      [noteOf('Beds/Mine.md', 'Mine.\n'), zone],
      [edit, undefined],
    ] as const)
      expect(await submitEntry(kit.services, input, guest, origin)).toMatchObject({
        refusal: { code: 'FORBIDDEN' },
      })
    expect((await kit.db.query(sql`SELECT 1 FROM proposal`)).rows).toHaveLength(before)
  })

  test('ends with the zone', async () => {
    await kit.db.query(sql`UPDATE zone SET expires_at = clock_timestamp() WHERE zone_id = ${ZONE}`)
    expect(await suggest('Too late.')).toMatchObject({ refusal: { code: 'ZONE_EXPIRED' } })
  })
})
