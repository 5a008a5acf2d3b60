import type { AuditEventView } from '#contracts/audit.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { eventViews } from './event-view.ts'

/** One event; 404 when there is none. */
export async function getEvent(
  services: Pick<Services, 'reads'>,
  { event_id }: { event_id: string },
): Promise<Result<AuditEventView>> {
  const row = await services.reads.event.findFirst({ where: { event_id } })
  const [event] = row ? await eventViews(services.reads, [row]) : []
  return event ? ok(event) : refuse({ code: 'NOT_FOUND', message: 'There is no such event.' })
}
