import type { Caller } from '#domain/authority/caller.ts'
import { termsOf } from '#server/zones/consent.ts'
import { webServices } from '../services.ts'

/** The terms that a page shows to a guest who still has to agree to them, or null when there are none for this caller. */
export async function pageTerms(caller: Caller) {
  const terms = await termsOf(await webServices(), caller)
  return terms.ok ? terms.value : null
}
