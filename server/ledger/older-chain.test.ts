import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { expect, it } from 'vitest'
import { migrate } from '#server/launch/migrate.mjs'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { openDatabase } from './database.ts'
import { sealAll, sealedAfter } from './seal.ts'

const MIGRATIONS = path.resolve('prisma/migrations')
const BYTES = '20261122110000_audit_bytes'

it('seals the events of an older ledger anew, in their order, by the bytes that their objects have', async () => {
  const test = await createTestDatabase()
  const database = openDatabase(test.adminUrl)
  const older = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-older-'))
  const insert = (id: string) =>
    database.query(sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, details)
      VALUES ('config.changed', 'owner', 'owner', 'setting', ${id}, '{"fence": 1, "attempt": 0}')`)
  try {
    for (const name of fs.readdirSync(MIGRATIONS).filter((migration) => migration < BYTES))
      fs.cpSync(path.join(MIGRATIONS, name), path.join(older, name), { recursive: true })
    await database.query(sql`DROP SCHEMA public CASCADE`)
    await database.query(sql`CREATE SCHEMA public`)
    await migrate(test.adminUrl, older)
    for (const id of ['a', 'b', 'c']) await insert(id)
    await sealAll(database)
    await insert('waits')
    const { rows: before } = await database.query<{ body: string }>(
      sql`SELECT event_body(e) AS body FROM event e ORDER BY id`,
    )

    expect(await migrate(test.adminUrl, MIGRATIONS)).toContain(BYTES)
    await insert('new')
    await sealAll(database)

    const events = await sealedAfter(database, 0, 10)
    expect(events.map((e) => e.resource_id)).toEqual(['a', 'b', 'c', 'waits', 'new'])
    expect(events.slice(0, 4).map((e) => e.body)).toEqual(before.map((e) => e.body))
    expect(events[4]?.body).toMatch(/^{"actor":"owner",.*"details":{"attempt":0,"fence":1},/)
    const { rows: seals } = await database.query<{ prev_hash: Buffer; hash: Buffer }>(
      sql`SELECT prev_hash, hash FROM event_seal ORDER BY seq`,
    )
    let previous = Buffer.alloc(32)
    events.forEach((event, n) => {
      expect(seals[n]?.prev_hash).toEqual(previous)
      previous = createHash('sha256').update(previous).update(event.body).digest()
      expect(seals[n]?.hash).toEqual(previous)
    })
  } finally {
    await database.close()
    await test.drop()
    fs.rmSync(older, { recursive: true, force: true })
  }
})
