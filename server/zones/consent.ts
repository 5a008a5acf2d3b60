import sql from 'sql-template-tag'
import type { ConsentAsked } from '#contracts/zone.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import { addressHash } from '#server/auth/record-refusal.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'

/** The terms that a guest with an open session has to accept. */
export async function termsOf(services: Pick<Services, 'db'>, caller: Caller) {
  const { rows } = await services.db.query<TermsRow>(sql`SELECT ${columns('zone', 'z', TERMS)} FROM zone z
    WHERE z.zone_id = ${caller.zoneId ?? null} AND z.status = ${state(zoneMachine, 'open')}`)
  return rows[0] ? ok(consentTerms(rows[0])) : refuse(NO_ZONE)
}

export const TERMS = ['zone_id', 'name', 'consent_policy', 'consent_version', 'expires_at'] as const
type TermsRow = Row<'zone', (typeof TERMS)[number]>

/** What a guest is asked to accept. */
export const consentTerms = (zone: TermsRow): ConsentAsked => ({
  zone_id: zone.zone_id,
  name: zone.name,
  policy: zone.consent_policy,
  policy_version: zone.consent_version,
  expires_at: zone.expires_at.toISOString(),
})

const NO_ZONE = { code: 'NOT_FOUND', message: 'Not found.' } as const

/** A guest with a session accepts newer terms; the version must be the current one. */
export async function giveConsent(
  services: Pick<Services, 'db' | 'env'>,
  input: { consent_version: number },
  caller: Caller,
  address: string,
): Promise<Result<{ consent_version: number }>> {
  const { zoneId, sessionId } = caller
  if (!zoneId || !sessionId) return refuse(NO_ZONE)
  return services.db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`
      UPDATE session s SET consent_version = z.consent_version, consented_at = clock_timestamp() FROM zone z
      WHERE s.sid = ${sessionId} AND s.ended_at IS NULL AND z.zone_id = s.zone_id AND z.status = ${state(zoneMachine, 'open')}
        AND z.consent_version = ${input.consent_version}`)
    if (!rowCount)
      return refuse({ code: 'CONSENT_REQUIRED', message: 'The terms have changed. Read them again.' })
    const details = {
      policy_version: input.consent_version,
      address_hash: addressHash(services.env.BLOOM_ADDRESS_KEY, address),
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

/** The terms of a zone whose owner wrote none; in both languages, since the guest's is not known. */
export const DEFAULT_CONSENT = `You are invited to read a part of a private garden of notes.

Your visit is recorded: when you entered, which terms you accepted, which notes you open and when, and a hash of your network address. You can read and nothing else. The owner can end your access at any time. Please do not pass the code on.

Вас запрошено прочитати частину приватного саду нотаток.

Ваш візит записується: коли ви ввійшли, з якими умовами погодилися, які нотатки й коли відкриваєте, і хеш вашої мережевої адреси. Ви можете лише читати. Власник може закрити доступ будь-коли. Будь ласка, не передавайте код іншим.`
