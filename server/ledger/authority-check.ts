import type { Caller } from '#domain/authority/caller.ts'
import { componentGrant, componentOf, type Resource, type VerbOf } from '#domain/authority/components.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Db } from './database.ts'
import { recordEvent } from './record-event.ts'

/**
 * Asked at the entry of a use-case, whoever calls it: null when the caller's component may do this [auth#components], else 403
 * `AUTHORITY_VIOLATION`, which is recorded. Part of the caller's transaction, so a use-case that refuses must not roll it back.
 */
export async function authorityFault<R extends Resource>(
  db: Db,
  caller: Caller,
  resource: R,
  verb: VerbOf<R>,
  id = '-',
): Promise<Refusal | null> {
  const name = String(verb)
  const component = componentOf(caller, name)
  if (componentGrant(component, resource, verb)) return null
  await recordEvent(db, {
    name: 'access.refused',
    actor: caller,
    resource: { type: resource, id },
    outcome: 'refused',
    errorCode: 'AUTHORITY_VIOLATION',
    details: { component, verb: name },
  })
  return {
    code: 'AUTHORITY_VIOLATION',
    message: `${component ?? 'This caller'} may not ${name} a${/^[aeiou]/.test(resource) ? 'n' : ''} ${resource}.`,
  }
}
