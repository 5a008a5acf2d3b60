import sql from 'sql-template-tag'
import type { AlertView } from '#contracts/alert.contract.ts'
import { alertMachine } from '#domain/alert/alert.machine.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { can } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import type { AlertRow } from './alert-row.ts'
import { alertView } from './alert-view.ts'

type Parts = Pick<Services, 'db'>
type Input = { alert_id: string; note: string }

/** A person has taken an open alert on, with a note. It stays until its condition ends; a graver one asks again. */
export async function acknowledgeAlert(
  { db }: Parts,
  { alert_id, note }: Input,
  caller: Caller,
): Promise<Result<AlertView>> {
  const [row] = await transition<AlertRow>(db, {
    machine: 'alert',
    event: 'acknowledge',
    actor: caller,
    where: sql`o.alert_id = ${alert_id}`,
    set: sql`acknowledged_at = clock_timestamp(), acknowledged_by = ${caller.identity}, note = ${redactText(note)}`,
    reason: note,
  })
  return row ? ok(alertView(row)) : refusedBecause({ db }, alert_id)
}

async function refusedBecause({ db }: Parts, id: string): Promise<Result<never>> {
  const { rows } = await db.query<Row<'alert', 'status'>>(
    sql`SELECT status FROM alert WHERE alert_id = ${id}`,
  )
  const status = rows[0]?.status
  if (!status) return refuse({ code: 'NOT_FOUND', message: 'There is no such alert.' })
  if (can(alertMachine, status, 'acknowledge'))
    return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The alert has just changed. Reload it.' })
  return refuse({
    code: 'INVALID_TRANSITION',
    message: `An alert that is ${status} cannot be acknowledged.`,
    details: { from: status, event: 'acknowledge' },
  })
}
