import type { HistoryEntry } from '#contracts/proposal.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { notFound } from './transition-proposal.ts'

const MAX_LINES = 500

/** Everything that happened to a proposal, refusals included, oldest first (at most 500 lines). */
export async function proposalHistory(
  { reads }: Pick<Services, 'reads'>,
  id: string,
): Promise<Result<HistoryEntry[]>> {
  const known = await reads.proposal.findUnique({
    where: { proposal_id: id },
    select: { proposal_id: true },
  })
  if (!known) return notFound()
  const events = await reads.event.findMany({
    select: {
      event_id: true,
      ts: true,
      name: true,
      transition: true,
      actor: true,
      from_status: true,
      to_status: true,
      reason: true,
      outcome: true,
      error_code: true,
      details: true,
    },
    where: { resource_type: 'proposal', resource_id: id },
    orderBy: { id: 'asc' },
    take: MAX_LINES,
  })
  return ok(
    events.map(({ ts, name, from_status, to_status, details, ...line }) => ({
      ...line,
      at: ts.toISOString(),
      event: name,
      from: from_status,
      to: to_status,
      details: details as Row<'event', 'details'>['details'],
    })),
  )
}
