import { type AuditEventView, auditEventView } from '#contracts/audit.contract.ts'
import type { Reads } from '#server/ledger/prisma.ts'

type EventRow = NonNullable<Awaited<ReturnType<Reads['event']['findFirst']>>>

/** The events as the contract shows them, each with its position in the chain once it is sealed. One more read, by the index of the seals. */
export async function eventViews(reads: Reads, rows: readonly EventRow[]): Promise<AuditEventView[]> {
  const seals = await reads.eventSeal.findMany({
    where: { event: { in: rows.map((row) => row.id) } },
    select: { event: true, seq: true, hash: true },
  })
  const sealOf = new Map(seals.map((seal) => [seal.event, seal]))
  return rows.map((row) => eventView(row, sealOf.get(row.id)))
}

const eventView = (
  { id, ts, name, resource_type, resource_id, from_status, to_status, ...rest }: EventRow,
  seal: { seq: bigint; hash: Uint8Array } | undefined,
): AuditEventView =>
  auditEventView.parse({
    ...(rest.refs as Record<string, unknown>),
    ...rest,
    seq: seal ? Number(seal.seq) : null,
    hash: seal ? Buffer.from(seal.hash).toString('hex') : null,
    ts: ts.toISOString(),
    event: name,
    resource: { type: resource_type, id: resource_id },
    from: from_status,
    to: to_status,
  })
