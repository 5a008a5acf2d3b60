/**
 * Views are saved one at a time for an account: its row is locked first, so the bound holds however many are saved at once. A name is
 * unique by the table. Nothing is read before it is written, and a view of another account is one that there is not.
 */
import sql from 'sql-template-tag'
import type { SavedView, SaveView } from '#contracts/saved-view.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { MAX_VIEWS } from '#domain/view/saved-view.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { ViewRow } from './list-views.query.ts'

type Parts = { db: Db }

const TAKEN = 'A view of this list already has this name. Choose another one.'
const NAME_TAKEN: Refusal = {
  code: 'VALIDATION_FAILED',
  message: TAKEN,
  details: [{ field: 'name', message: TAKEN, reason: 'name_taken' }],
}
const FULL: Refusal = {
  code: 'LIMIT_EXCEEDED',
  message: `This list already has ${MAX_VIEWS} saved views. Delete one first.`,
}
const MISSING: Refusal = { code: 'NOT_FOUND', message: 'There is no such saved view.' }
const NO_ACCOUNT: Refusal = { code: 'FORBIDDEN', message: 'Views are saved for an account.' }

/** The filters of a list under a name that none of the account's views of this list has. */
export function saveView({ db }: Parts, input: SaveView, caller: Caller): Promise<Result<SavedView>> {
  const { list, name, filters } = input
  return db.transaction(async (tx) => {
    if (!(await lockAccount(tx, caller))) return refuse(NO_ACCOUNT)
    const id = `view_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`
    const { rows } =
      await tx.query<ViewRow>(sql`INSERT INTO saved_view (view_id, account_id, list, name, filters)
      SELECT ${id}, ${caller.accountId}, ${list}, ${name}, ${json(filters)} FROM saved_view v
      WHERE v.account_id = ${caller.accountId} AND v.list = ${list} HAVING count(*) < ${MAX_VIEWS}
      ON CONFLICT DO NOTHING RETURNING view_id, list, name, filters`)
    if (rows[0]) return ok(rows[0])
    return refuse((await isTaken(tx, input, caller)) ? NAME_TAKEN : FULL)
  })
}

/** Another name for a view of the account. */
export function renameView(
  { db }: Parts,
  { view_id, name }: { view_id: string; name: string },
  caller: Caller,
): Promise<Result<SavedView>> {
  return db.transaction(async (tx) => {
    if (!(await lockAccount(tx, caller))) return refuse(NO_ACCOUNT)
    const { rows } = await tx.query<ViewRow & { renamed: boolean }>(sql`WITH renamed AS (
        UPDATE saved_view v SET name = ${name} WHERE v.view_id = ${view_id} AND v.account_id = ${caller.accountId}
          AND NOT EXISTS (SELECT FROM saved_view o WHERE o.account_id = v.account_id AND o.list = v.list AND o.name = ${name}
            AND o.view_id <> v.view_id)
        RETURNING view_id)
      SELECT v.view_id, v.list, ${name}::text AS name, v.filters, EXISTS (SELECT FROM renamed) AS renamed FROM saved_view v
      WHERE v.view_id = ${view_id} AND v.account_id = ${caller.accountId}`)
    const [row] = rows
    if (!row) return refuse(MISSING)
    const { renamed, ...view } = row
    return renamed ? ok(view) : refuse(NAME_TAKEN)
  })
}

/** Deletes a view of the account; the list itself is not touched. */
export async function removeView(
  { db }: Parts,
  { view_id }: { view_id: string },
  caller: Caller,
): Promise<Result<{ view_id: string }>> {
  const { rowCount } = await db.query(
    sql`DELETE FROM saved_view WHERE view_id = ${view_id} AND account_id = ${caller.accountId ?? null}`,
  )
  return rowCount ? ok({ view_id }) : refuse(MISSING)
}

/** False where the caller has no account that may be used. */
async function lockAccount(tx: Db, { accountId }: Caller): Promise<boolean> {
  const { rows } = await tx.query(
    sql`SELECT account_id FROM account WHERE account_id = ${accountId ?? null} AND disabled_at IS NULL FOR NO KEY UPDATE`,
  )
  return rows.length > 0
}

async function isTaken(tx: Db, { list, name }: SaveView, { accountId }: Caller): Promise<boolean> {
  const { rows } = await tx.query(
    sql`SELECT view_id FROM saved_view WHERE account_id = ${accountId} AND list = ${list} AND name = ${name}`,
  )
  return rows.length > 0
}
