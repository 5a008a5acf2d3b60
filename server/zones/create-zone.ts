import QRCode from 'qrcode'
import sql from 'sql-template-tag'
import type { CreatedZone, CreateZone } from '#contracts/zone.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { create } from '#server/ledger/create.ts'
import type { Services } from '#server/services.ts'
import { DEFAULT_CONSENT } from './consent.ts'
import { codeHash, linkHash, newCode, newToken, newZoneId } from './zone-keys.ts'
import { findZone } from './zone-view.ts'

const MAX_ATTEMPTS = 5

/**
 * Opens a zone. Code, link and QR code are in this answer and nowhere else; the ledger keeps keyed hashes. A code that exists already is
 * generated again.
 */
export async function createZone(
  services: Pick<Services, 'db' | 'env'>,
  input: CreateZone,
  caller: Caller,
): Promise<Result<CreatedZone>> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [zoneId, code, token] = [newZoneId(), newCode(), newToken()]
    const key = services.env.BLOOM_ZONE_KEY
    const made = await create(services.db, {
      machine: 'zone',
      actor: caller,
      details: {
        folders: input.folders,
        tags: input.tags,
        minutes: input.minutes,
        suggestions: input.suggestions ?? false,
      },
      values: {
        zone_id: zoneId,
        name: input.name,
        description: input.description,
        folders: input.folders,
        tags: input.tags,
        suggestions: input.suggestions ?? false,
        consent_policy: input.consent_policy ?? DEFAULT_CONSENT,
        code_hash: codeHash(key, code),
        link_hash: linkHash(key, zoneId, token),
        created_by: caller.identity,
        expires_at: sql`clock_timestamp() + make_interval(mins => ${input.minutes}::int)`,
      },
    })
    if (!made) continue
    const link = `${services.env.PUBLIC_URL}/zone/${zoneId}#t=${token}`
    const zone = await findZone(services.db, zoneId)
    if (!zone) throw new Error(`zone ${zoneId} was not kept`)
    return ok({ zone, code, link, qr: await qrOf(link) })
  }
  return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'No free zone code was found. Try again.' })
}

async function qrOf(link: string): Promise<string> {
  const svg = await QRCode.toString(link, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
