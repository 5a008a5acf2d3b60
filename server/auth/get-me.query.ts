import type { MeView } from '#contracts/session.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Services } from '#server/services.ts'

/** Who is signed in. Never refused: the console asks it to choose between its pages and the sign-in page. */
export async function getMe(
  { reads }: Pick<Services, 'reads'>,
  who: { caller: Caller; steppedUp: boolean; refusal: Refusal | null },
): Promise<MeView> {
  const { caller, steppedUp, refusal } = who
  const ended = refusal?.code ?? null
  const row = await reads.session.findUnique({
    where: { sid: caller.sessionId ?? '' },
    select: {
      expires_at: true,
      account: { select: { name: true, password_hash: true } },
      zone: { select: { zone_id: true, name: true, description: true, expires_at: true, suggestions: true } },
    },
  })
  if (!row || (caller.role !== 'owner' && caller.role !== 'operator' && caller.role !== 'guest')) {
    const nobody = {
      role: 'anonymous',
      identity: 'anonymous',
      name: null,
      expires_at: null,
      zone: null,
    } as const
    return { ...nobody, stepped_up: false, has_password: false, ended }
  }
  return {
    role: caller.role,
    identity: caller.identity,
    name: row.account?.name ?? null,
    stepped_up: steppedUp,
    has_password: Boolean(row.account?.password_hash),
    expires_at: row.expires_at.toISOString(),
    zone: row.zone && { ...row.zone, expires_at: row.zone.expires_at.toISOString() },
    ended,
  }
}
