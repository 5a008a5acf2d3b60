import type { Refusal } from '../kernel/errors.ts'
import type { ZoneState } from './zone.machine.ts'

const ENDED: Record<Exclude<ZoneState, 'open'>, Refusal> = {
  expired: { code: 'ZONE_EXPIRED', message: 'The time of this zone is over.' },
  revoked: { code: 'ZONE_REVOKED', message: 'The owner has closed this zone.' },
}

/** The refusal for guests of a zone in this state, or null while it is open. A zone that does not exist counts as revoked. */
export const zoneEnd = (state: ZoneState | undefined): Refusal | null =>
  state === 'open' ? null : ENDED[state ?? 'revoked']
