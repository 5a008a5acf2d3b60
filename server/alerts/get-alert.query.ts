import type { AlertDetail } from '#contracts/alert.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { rowOf, rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { alertView, DELIVERY_COLUMNS, deliveryView } from './alert-view.ts'

/** One alert with the messages about it, in their order. */
export async function getAlert(
  { reads }: Pick<Services, 'reads'>,
  { alert_id }: { alert_id: string },
): Promise<Result<AlertDetail>> {
  const found = await reads.alert.findUnique({
    where: { alert_id },
    include: {
      deliveries: {
        select: selected(DELIVERY_COLUMNS),
        orderBy: [{ created_at: 'asc' }, { channel: 'asc' }],
      },
    },
  })
  if (!found) return refuse({ code: 'NOT_FOUND', message: 'There is no such alert.' })
  const { deliveries, ...alert } = found
  const shown = rowsOf('alert_delivery', deliveries).map(deliveryView)
  return ok({ ...alertView(rowOf('alert', alert)), deliveries: shown })
}
