import type { AlertList, AlertPage } from '#contracts/alert.contract.ts'
import { type AlertState, alertMachine, STANDING_ALERTS } from '#domain/alert/alert.machine.ts'
import { keyset } from '#server/ledger/list.ts'
import { rowsOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { alertView } from './alert-view.ts'

const NEWEST = keyset('alert', 'alerts', { opened_at: 'time', alert_id: 'text' }, 'desc')
const STATES: Record<AlertList['show'], readonly AlertState[]> = {
  standing: STANDING_ALERTS,
  closed: alertMachine.final,
  all: alertMachine.states,
}

/** `GET /alerts`: newest first, by keyset at any depth. */
export async function listAlerts(
  { reads }: Pick<Services, 'reads'>,
  { show, ...page }: AlertList,
): Promise<AlertPage> {
  const status = STATES[show]
  const filter = status.length === 1 ? { status: status[0] as AlertState } : { status: { in: [...status] } }
  const found = await reads.alert.findMany(NEWEST.slice(show === 'all' ? {} : filter, page))
  const { rows, next_cursor } = NEWEST.page(rowsOf('alert', found), page.limit)
  return { items: rows.map(alertView), next_cursor }
}
