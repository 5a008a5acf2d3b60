import type { Caller } from '#domain/authority/caller.ts'
import { componentGrant, componentOf, type Resource, type VerbOf } from '#domain/authority/components.ts'
import { type Refusal, Refused } from '#domain/kernel/errors.ts'
import type { Db } from './database.ts'
import { recordEvent } from './record-event.ts'

/** What is asked for: its id, and whether it is the caller's own part, for cells that give no more; a whole list never is. */
export type Subject = { id?: string | undefined; own?: boolean }

/**
 * Asked at the entry of a use-case, whoever calls it: null when the caller's component may do this [auth#components], else 403
 * `AUTHORITY_VIOLATION`, which is recorded. Part of the caller's transaction, so a use-case that refuses must not roll it back.
 */
export async function authorityFault<R extends Resource>(
  db: Db,
  caller: Caller,
  resource: R,
  verb: VerbOf<R>,
  { id = '-', own = true }: Subject = {},
): Promise<Refusal | null> {
  const name = String(verb)
  const component = componentOf(caller, name)
  const grant = componentGrant(component, resource, verb)
  if (grant === true || (grant === 'own' && own)) return null
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

/** The same for a read that answers with no Result: throws the refusal. */
export async function requireAuthority<R extends Resource>(
  db: Db,
  caller: Caller,
  resource: R,
  verb: VerbOf<R>,
  subject: Subject,
): Promise<void> {
  const fault = await authorityFault(db, caller, resource, verb, subject)
  if (fault) throw new Refused(fault.code, fault.message)
}
