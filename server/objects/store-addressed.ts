/**
 * The write of a content-addressed object that a row is going to name ([objects#sweep]): create-only, and safe from the sweep. An object that
 * was there already may be one that the sweep has marked or removed; the mark is taken off before the caller relies on the object.
 */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { HOLD_MARKS, IN_REMOVAL } from './object-mark.ts'

type Addressed = { key: string; bytes: Uint8Array }
type Standing = Row<'object_mark', 'condemned_at'> & { in_removal: boolean }

/**
 * Stores the object under its address. Once this has returned, the sweep leaves the object alone for an hour, in which the row is to be
 * committed; a row that comes later, after a removal, is refused by the ledger. Throws `StorageUnavailable` when the store does not
 * take it, or is just removing it: then a later attempt succeeds.
 */
export async function storeAddressed(
  { db, store }: Pick<Services, 'db' | 'store'>,
  { key, bytes }: Addressed,
): Promise<void> {
  const create = () => store.create(key, bytes, 'application/json')
  await create()
  const { rowCount } = await db.query(prepared(sql`SELECT 1 FROM object_mark WHERE object_key = ${key}`))
  if (rowCount) await db.transaction((tx) => takeMarkOff(tx, key, create))
}

/** Nobody condemns while this transaction runs. A removed object is stored again before the ledger lets rows name it. */
async function takeMarkOff(tx: Db, key: string, create: () => Promise<unknown>): Promise<void> {
  await tx.query(HOLD_MARKS)
  const { rows } = await tx.query<Standing>(
    sql`SELECT m.condemned_at, coalesce(${IN_REMOVAL}, false) AS in_removal FROM object_mark m WHERE m.object_key = ${key}`,
  )
  const [mark] = rows
  if (!mark) return
  if (mark.in_removal) throw new StorageUnavailable(`the object ${key} is being removed by the sweep`)
  if (mark.condemned_at) await create()
  await tx.query(sql`DELETE FROM object_mark WHERE object_key = ${key}`)
}
