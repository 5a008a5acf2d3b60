import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { addressHash } from '#server/auth/record-refusal.ts'
import type { Services } from '#server/composition/services.ts'
import { recordEvent } from '#server/ledger/record-event.ts'

/** The terms that a guest whose session is open has to read. */
export async function termsOf(services: Pick<Services, 'db'>, caller: Caller) {
  const { rows } = await services.db.query<{
    zone_id: string
    name: string
    policy: string
    policy_version: number
    expires_at: Date
  }>(sql`SELECT zone_id, name, consent_policy AS policy, consent_version AS policy_version, expires_at FROM zone
    WHERE zone_id = ${caller.zoneId ?? null} AND status = 'open'`)
  const zone = rows[0]
  return zone ? ok({ ...zone, expires_at: zone.expires_at.toISOString() }) : refuse(NO_ZONE)
}

const NO_ZONE = { code: 'NOT_FOUND', message: 'Not found.' } as const

/** A guest who is inside agrees to the newer terms; the version must be the current one. */
export async function giveConsent(
  services: Pick<Services, 'database' | 'env'>,
  input: { consent_version: number },
  caller: Caller,
  address: string,
): Promise<Result<{ consent_version: number }>> {
  const { zoneId, sessionId } = caller
  if (!zoneId || !sessionId) return refuse(NO_ZONE)
  return services.database.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`
      UPDATE session s SET consent_version = z.consent_version, consented_at = clock_timestamp() FROM zone z
      WHERE s.sid = ${sessionId} AND s.ended_at IS NULL AND z.zone_id = s.zone_id AND z.status = 'open'
        AND z.consent_version = ${input.consent_version}`)
    if (!rowCount)
      return refuse({ code: 'CONSENT_REQUIRED', message: 'The terms have changed. Read them again.' })
    const details = {
      policy_version: input.consent_version,
      address_hash: addressHash(services.env.BLOOM_SESSION_KEY, address),
    }
    const resource = { type: 'zone', id: zoneId }
    await recordEvent(tx, {
      name: 'zone.consented',
      actor: caller,
      resource,
      refs: { zone_id: zoneId },
      details,
    })
    return ok({ consent_version: input.consent_version })
  })
}
