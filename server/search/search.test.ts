import { rm } from 'node:fs/promises'
import sql, { raw, type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { searchAnswer, searchInput } from '#contracts/search.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { jobRows, listRows } from '#prisma/seed/scenarios/large-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import type { Db } from '#server/ledger/database.ts'
import { indexedWords } from '#server/ledger/indexed-words.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { type Kit, makeGarden, OPERATOR, OWNER, openKit } from '#server/proposals/testing/garden-kit.ts'
import { findObjects, searchEverywhere } from './search-everywhere.query.ts'

const COUNT = 8_000
const NOTES = {
  'Beds/Leeks.md': '---\ntags: [public]\n---\n# Leeks\n\nLeeks need water.\n',
  'Private/Leek soup.md': '# Leek soup\n\nNobody knows it.\n',
}
/** The number of a row far behind the newest. */
const OLD = 7_003
const ZONE = '7c1f09ab'

let database: TestDatabase
let kit: Kit
let guest: Caller

beforeAll(async () => {
  database = await createTestDatabase()
  kit = await openKit(await makeGarden(NOTES), database)
  await onLedger(database.adminUrl, async (db) => {
    await db.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      await tx.query(sql`INSERT INTO agent (slug, status, name, version, model, definition, revision, sha256)
        VALUES ('orphan-scout', 'active', 'Orphan scout', '1', 'extractive', '{}', 'r', 's')`)
      await tx.query(sql`INSERT INTO zone (zone_id, name, folders, tags, consent_policy, code_hash, link_hash, created_by, expires_at)
        VALUES (${ZONE}, 'Neighbours', '{Beds}', '{}', '', 'c', 'l', 'owner', now() + interval '1 day')`)
      const size = { count: COUNT, agents: ['orphan-scout'], revision: 'r' }
      for (const rows of [...listRows(size), jobRows(size)]) await tx.query(rows)
      await tx.query(sql`UPDATE proposal SET summary = 'Water the rhubarb', changes = jsonb_set(changes, '{0,path}', '"Beds/Leeks.md"')
        WHERE summary = 'Proposal 3 of the garden'`)
      await tx.query(
        sql`UPDATE proposal SET summary = 'Water the canary' WHERE summary = 'Proposal 4 of the garden'`,
      )
    })
    await db.query(sql`VACUUM ANALYZE`)
  })
  guest = { role: 'guest', identity: 'zone:x', via: 'console', zoneId: ZONE } as Caller
})
afterAll(async () => {
  await kit.close()
  await rm(kit.folder, { recursive: true })
  await database.drop()
})

/** `kind title` of what is found, as the answer passes its contract. */
async function find(q: string, caller: Caller = OWNER, states?: string[]): Promise<string[]> {
  const answer = await searchEverywhere(kit.services, caller, searchInput.parse({ q, states }))
  return searchAnswer.parse(answer).items.map((hit) => `${hit.kind} ${hit.title}`)
}

const idOf = async (statement: Sql): Promise<string> => {
  const { rows } = await kit.db.query<{ id: string }>(statement)
  return rows[0]?.id ?? ''
}

describe('what is found', () => {
  const OLD_ONES = [`proposal Proposal ${OLD} of the garden`, `job Question ${OLD} of the garden`]
  test.each<[string, string[]]>([
    ['rhubarb', ['proposal Water the rhubarb']],
    ['RHUB wat', ['proposal Water the rhubarb']],
    ['leek soup', ['note Leek soup']],
    ['scout', ['agent Orphan scout']],
    ['neighb', ['zone Neighbours']],
    ['nothing has this', []],
    ['100%', []],
    // Queued for long: in no trigram index, and behind the newest.
    ['question 7001', ['job Question 7001 of the garden']],
    // Far behind the newest rows, by the trigram indexes.
    [`question ${OLD}`, [`job Question ${OLD} of the garden`, `run Question ${OLD} of the garden`]],
    [
      `${OLD} of the`,
      [...OLD_ONES, `run Question ${OLD} of the garden`, `artifact Brief ${OLD} of the garden`],
    ],
  ])('%s', async (q, wanted) => {
    const found = await find(q)
    expect(found.filter((hit) => wanted.includes(hit))).toEqual(wanted)
    if (wanted.length === 0) expect(found).toEqual([])
  })

  test('five of a kind at most, the newest first', async () => {
    const found = await find('of the garden')
    expect(found.filter((hit) => hit.startsWith('run'))).toEqual(
      [1, 2, 3, 4, 5].map((n) => `run Question ${n} of the garden`),
    )
    expect(found.filter((hit) => hit.startsWith('artifact'))).toHaveLength(5)
  })

  test('by a state, by a state and a word, and by the states that a label means', async () => {
    const dead = await searchEverywhere(kit.services, OWNER, { q: 'dead' })
    expect(dead.items.map(({ kind, status }) => `${kind} ${status}`)).toEqual(Array(5).fill('job DEAD'))
    // Row 7 000 is dead, and far behind the newest.
    expect(await find('dead 7000')).toEqual(['job Question 7000 of the garden'])
    const labelled = await searchEverywhere(kit.services, OWNER, { q: 'повтор', states: ['RETRY_BACKOFF'] })
    expect(labelled.items.map(({ status }) => status)).toEqual(Array(2).fill('RETRY_BACKOFF'))
  })

  test('by an id: whole, its beginning, its end as pages show it, its short form', async () => {
    const [proposal, job, run, artifact, zone] = await Promise.all([
      idOf(sql`SELECT proposal_id AS id FROM proposal WHERE summary = 'Water the rhubarb'`),
      idOf(sql`SELECT job_id::text AS id FROM job WHERE title = 'Question 7 of the garden'`),
      idOf(sql`SELECT run_id AS id FROM run WHERE question = 'Question 7007 of the garden'`),
      idOf(sql`SELECT artifact_id AS id FROM artifact WHERE title = 'Brief 7 of the garden'`),
      idOf(sql`SELECT zone_id AS id FROM zone`),
    ])
    const asked = [
      [proposal, proposal],
      [`${proposal.slice(0, 12)}…${proposal.slice(-6)}`, proposal],
      [job, job],
      [job.slice(0, 8), job],
      [run.slice(0, 21), run],
      [run.slice(-6), run],
      [artifact, artifact],
      [artifact.slice(4, 12), artifact],
      [zone.slice(0, 6), zone],
    ] as const
    for (const [q, id] of asked) {
      const { items } = await searchEverywhere(kit.services, OWNER, { q })
      expect([q, items.map((hit) => hit.id)]).toEqual([q, expect.arrayContaining([id])])
    }
  })
})

describe('who finds what', () => {
  test('an operator finds no zones, a guest what lies in the zone and of nobody', async () => {
    expect(await find('neighb', OPERATOR)).toEqual([])
    expect(await find('water', guest)).toEqual(['proposal Water the rhubarb', 'note Leeks'])
    expect(await find('canary', guest)).toEqual([])
    expect(await find('leek', guest)).toEqual(['note Leeks'])
    expect(await find('scout', guest)).toEqual([])
    const { items } = await searchEverywhere(kit.services, guest, { q: 'rhubarb' })
    expect(items[0]?.detail).toBeNull()
  })

  test('objects by name, in the order asked for, those left out that the reader does not see', async () => {
    const [seen, hidden, run] = await Promise.all([
      idOf(sql`SELECT proposal_id AS id FROM proposal WHERE summary = 'Water the rhubarb'`),
      idOf(sql`SELECT proposal_id AS id FROM proposal WHERE summary = 'Water the canary'`),
      idOf(sql`SELECT run_id AS id FROM run WHERE question = 'Question 9 of the garden'`),
    ])
    const objects = [
      { kind: 'run' as const, id: run },
      { kind: 'note' as const, id: 'Private/Leek soup.md' },
      { kind: 'proposal' as const, id: hidden },
      { kind: 'job' as const, id: 'no such job' },
      { kind: 'proposal' as const, id: seen },
      { kind: 'note' as const, id: 'Beds/Leeks.md' },
    ]
    const idsFor = async (caller: Caller) => {
      const { items } = searchAnswer.parse(await findObjects(kit.services, caller, objects))
      return items.map(({ id }) => id)
    }
    expect(await idsFor(OWNER)).toEqual(objects.map(({ id }) => id).filter((id) => id !== 'no such job'))
    expect(await idsFor(guest)).toEqual([seen, 'Beds/Leeks.md'])
  })
})

describe('what it costs', () => {
  /** The plans of everything that this asks of the large tables. */
  async function plansFor(work: (services: typeof kit.services) => Promise<unknown>): Promise<string[]> {
    const asked: Sql[] = []
    const query: Db['query'] = (statement) => {
      asked.push(statement)
      return kit.db.query(statement)
    }
    await work({ ...kit.services, db: { ...kit.db, query } })
    const plans = asked.map(async (statement) => {
      const { rows } = await kit.db.query<{ 'QUERY PLAN': string }>(sql`${raw('EXPLAIN')} ${statement}`)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    return Promise.all(plans)
  }
  const plansOf = (q: string) => plansFor((services) => searchEverywhere(services, OWNER, { q }))
  const WHOLE = /Seq Scan on (proposal|job|run|artifact|artifact_labels) /

  test.each([
    'garden',
    'rhubarb',
    `question ${OLD}`,
    'dead',
    'x',
    'prop_2026',
    'zzzzzz',
    'немає',
    '---',
    'a-b-c',
  ])('no table is read as a whole for %s', async (q) => {
    const plans = await plansOf(q)
    expect(plans.length).toBeGreaterThan(4)
    for (const plan of plans) expect(plan).not.toMatch(WHOLE)
  })

  test('objects by name are read along the index of their ids', async () => {
    const job = await idOf(sql`SELECT job_id::text AS id FROM job LIMIT 1`)
    const ids = { proposal: 'prop_1', run: 'run_1', artifact: 'art-1', job } as const
    const objects = Object.entries(ids).map(([kind, id]) => ({ kind: kind as keyof typeof ids, id }))
    const plans = await plansFor((services) => findObjects(services, OWNER, objects))
    expect(plans.length).toBeGreaterThanOrEqual(objects.length)
    for (const plan of plans) expect(plan).not.toMatch(WHOLE)
  })

  test('a database of any locale says which words its indexes narrow', async () => {
    const words = ['leek', '100', 'грядка', '---', 'a-b-c', 'аab', 'x']
    expect(await indexedWords(kit.db, words)).toEqual(['leek', '100', 'грядка', 'аab'])
    await onLedger(database.adminUrl, async (db) => {
      await db.query(sql`CREATE DATABASE of_c TEMPLATE template0 LC_CTYPE 'C'`)
      try {
        const address = new URL(database.adminUrl)
        address.pathname = '/of_c'
        await onLedger(address.toString(), async (other) => {
          await other.query(sql`CREATE EXTENSION pg_trgm`)
          expect(await indexedWords(other, words)).toEqual(['leek', '100'])
        })
      } finally {
        await db.query(sql`DROP DATABASE of_c WITH (FORCE)`)
      }
    })
  })

  test('what is rare is found by the trigram indexes', async () => {
    const all = (await plansOf(`question ${OLD}`)).join('\n')
    for (const index of ['proposal_words', 'job_words', 'run_words', 'artifact_labels_words'])
      expect(all).toContain(`Bitmap Index Scan on ${index}`)
  })
})
