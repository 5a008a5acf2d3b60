import type { SessionView } from '#contracts/session.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Prisma } from '#prisma/generated/client.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import type { Services } from '#server/services.ts'
import { sessionName } from './end-session.ts'

const IDLE_MS = 12 * 3_600_000

/** The sessions still open at this moment of the database clock; a guest's are bounded by their zone instead. */
export const openAt = (now: Date): Prisma.SessionWhereInput => ({
  ended_at: null,
  expires_at: { gt: now },
  last_seen_at: { gt: new Date(now.getTime() - IDLE_MS) },
})

/** The open sessions of the caller's account, the latest used first; at most 200. */
export async function listSessions(
  { db, reads }: Pick<Services, 'db' | 'reads'>,
  caller: Caller,
): Promise<SessionView[]> {
  if (!caller.accountId) return []
  const rows = await reads.session.findMany({
    select: { sid: true, via: true, created_at: true, last_seen_at: true, expires_at: true },
    where: { account_id: caller.accountId, ...openAt(await ledgerNow(db)) },
    orderBy: { last_seen_at: 'desc' },
    take: 200,
  })
  return rows.map((row) => ({
    session: sessionName(row.sid),
    current: row.sid === caller.sessionId,
    via: row.via,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }))
}
