import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { zoneScopeOf } from '#server/zones/zone-scope.ts'

/** Those who read every proposal; a guest's reads of the whole are 404, as page 09 has it. */
export function wholeReader(caller: Caller): Caller {
  if (caller.role === 'owner' || caller.role === 'operator') return caller
  throw new Refused('NOT_FOUND', 'There is nothing here.')
}

/** The zone of a guest. The owner and operators have no zone: 404. */
export async function scopeOfGuest(services: Pick<Services, 'db'>, caller: Caller): Promise<ZoneScope> {
  const scope = await zoneScopeOf(services, caller)
  if (!scope) throw new Refused('NOT_FOUND', 'There is nothing here.')
  return scope
}
