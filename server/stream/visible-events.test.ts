import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '#domain/authority/caller.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { editOf, propose } from '#server/proposals/testing/garden-kit.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { visibleEvents } from './visible-events.ts'

const ZONE = '0a0b0c0d'
const GUEST = { role: 'guest', identity: `zone:${ZONE}`, via: 'console', zoneId: ZONE } as Caller
const append = { diff: { type: 'append', position: 'end', text: 'Mulched.' } }

let kit: NewKit
beforeAll(async () => {
  kit = await newKit()
  await kit.db.query(sql`INSERT INTO zone (zone_id, name, folders, tags, consent_policy, code_hash, link_hash, created_by, expires_at)
    VALUES (${ZONE}, 'Readers', ${['Beds']}, '{}', 'Be kind.', 'c', 'l', 'owner', clock_timestamp() + interval '1 hour')`)
})
afterAll(() => kit.end())

test('a guest hears that a commit changed notes of the zone, of no proposal that reaches beyond it, and of no machine', async () => {
  const proposed = async (...paths: string[]) => {
    const changes = paths.map((path) => ({ path, ...append }))
    return (await propose(kit, editOf(`notes/${paths[0]}`, { changes }))).proposal_id
  }
  const [inside, both, outside] = [
    await proposed('Beds/North.md'),
    await proposed('Beds/South.md', 'Грядки/Північна.md'),
    await proposed('Грядки/Північна.md'),
  ]
  const events = [inside, both, outside].flatMap((id) =>
    ['proposal.approved', 'proposal.applied'].map((name) => ({
      ...{ name, resource_type: 'proposal', resource_id: id, from_status: 'A', to_status: 'B' },
      correlation_id: 'correlation',
    })),
  ) as unknown as SealedEvent[]
  const machines = ['worker', 'leadership', 'sync', 'component'].map((type) => ({
    ...{ name: `${type}.failed`, resource_type: type, resource_id: 'barn', outcome: 'error' },
  })) as unknown as SealedEvent[]
  const received = await visibleEvents(kit, GUEST, [...machines, ...events], async () => new Map())
  expect(received.map((e) => [e.name, e.resource_type, e.resource_id, e.correlation_id])).toEqual([
    ['proposal.approved', 'proposal', inside, null],
    ['proposal.applied', 'proposal', inside, null],
    ['proposal.applied', 'note', 'zone', null],
  ])
})
