import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { type NewKit, newKit } from '#server/proposals/testing/new-kit.ts'
import { gardenFinding } from '../garden-finding.ts'
import { checkObjects } from './check-objects.ts'
import { getGardenCare } from './get-garden-care.query.ts'

let kit: NewKit
beforeEach(async () => {
  kit = await newKit()
})
afterEach(async () => {
  await kit.end()
})

const check = (signal = new AbortController().signal) => checkObjects(kit.worker, signal)
const state = async () => (await getGardenCare({ db: kit.db, env: {} })).check
const finding = () => gardenFinding({ ...kit.worker, env: { BLOOM_HOME: kit.folder } })
const onOwner = (statement: ReturnType<typeof sql>) => onLedger(kit.urls.url, (db) => db.query(statement))
const age = (interval: string) =>
  onOwner(
    sql`UPDATE garden_check SET started_at = started_at - ${interval}::interval, finished_at = finished_at - ${interval}::interval`,
  )

test('a new home is checked at once, then every week, and after a worker that ended without a farewell', async () => {
  expect(await state()).toMatchObject({ finished_at: null, running: false })
  expect(await check()).toMatchObject({ faults: [] })
  expect(await state()).toMatchObject({ running: false, faults: [], checked_by: 'git' })
  expect(await check()).toBeNull()
  await age('6 days')
  expect(await check()).toBeNull()
  await age('1 day')
  expect(await check()).not.toBeNull()

  const worker = (stopped: boolean, silent: string) =>
    kit.worker.db.query(sql`INSERT INTO worker_process (worker_id, host, pid, heartbeat_at, stopped_at)
      VALUES ('w', 'h', 1, clock_timestamp() - ${silent}::interval, CASE WHEN ${stopped} THEN clock_timestamp() END)
      ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at, stopped_at = excluded.stopped_at`)
  await age('1 hour')
  await worker(true, '10 minutes')
  expect(await check()).toBeNull()
  await worker(false, '10 seconds')
  expect(await check()).toBeNull()
  await worker(false, '10 minutes')
  expect(await check()).not.toBeNull()
  expect(await check()).toBeNull()
})

test('damage is shown, recorded once, looked at every hour, and gone when it is mended', async () => {
  const { oid } = (await kit.garden.list()).find((entry) => entry.path === 'Beds/North.md') ?? { oid: '' }
  const file = join(kit.gitdir, 'objects', oid.slice(0, 2), oid.slice(2))
  const bytes = await readFile(file)
  await rm(file)
  await check()
  expect((await state()).faults.join()).toContain(oid)
  expect(await finding()).toMatchObject({
    status: 'unavailable',
    message: expect.stringMatching(/^repository_damaged: 1 objects/),
  })
  await age('1 hour')
  expect(await check()).not.toBeNull()
  const { rows } = await kit.db.query(sql`SELECT outcome, reason FROM event WHERE name = 'garden.damaged'`)
  expect(rows).toEqual([{ outcome: 'error', reason: expect.stringContaining(oid) }])
  await writeFile(file, bytes)
  await age('1 hour')
  await check()
  expect(await finding()).toEqual({ status: 'healthy', message: null })
})

test('a check that was cut off is done again by the next worker, and two do not check at once', async () => {
  await expect(check(AbortSignal.abort())).rejects.toThrow()
  expect(await state()).toMatchObject({ finished_at: null, running: true })
  expect(await check()).toBeNull()
  await onOwner(sql`UPDATE garden_check SET lease_expires_at = clock_timestamp()`)
  expect(await check()).not.toBeNull()
})
