import sql from 'sql-template-tag'
import type { SubmitAnswer } from '#contracts/inbox.contract.ts'
import { ERRORS, type ErrorCode, type Refusal } from '#domain/kernel/errors.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'

/**
 * Why an entry that was accepted, now or as a repeat, has become nothing ([inbox#states]). One that is `pending` is still carried out; a repeat
 * of one that was rejected gets the refusal of the first time, and one that has expired never becomes anything.
 */
export async function unresolvedEntry(
  db: Db,
  { inbox_id, status }: Pick<SubmitAnswer, 'inbox_id' | 'status'>,
): Promise<Refusal> {
  const details = { inbox_id }
  if (status === 'pending') {
    const message =
      'The garden does not answer. The request is kept, and is carried out when the garden answers.'
    return { code: 'STORAGE_UNAVAILABLE', message, details }
  }
  const { rows } = await db.query<Row<'inbox_entry', 'reason_code' | 'reason'>>(
    sql`SELECT reason_code, reason FROM inbox_entry WHERE inbox_id = ${inbox_id}`,
  )
  const code = rows[0]?.reason_code
  if (isErrorCode(code)) return { code, message: rows[0]?.reason ?? '', details }
  return { code: 'INVALID_TRANSITION', message: `The request has already ended as ${status}.`, details }
}

const isErrorCode = (code: string | null | undefined): code is ErrorCode =>
  !!code && Object.hasOwn(ERRORS, code)
