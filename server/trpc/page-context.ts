import { identify } from '#server/auth/identify.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import { webServices } from '#server/composition/web-services.ts'
import { type Visit, visitOf } from '#server/gate/visit.ts'
import { termsOf } from '#server/zones/consent.ts'

/** The visit of a page that the server renders, by the headers of its request: procedures answer it as they answer the API. */
export async function pageContext(headers: Headers): Promise<Visit> {
  const services = await webServices()
  const request = new Request('http://page.local/', { headers })
  const facts = factsOf(request, 'page', { trustedProxies: services.env.TRUSTED_PROXIES })
  return visitOf(services, await identify(services, facts), null)
}

/** The terms that a page shows to a guest who still has to agree to them, or null when there are none for this caller. */
export async function pageTerms(caller: Visit['caller']) {
  const terms = await termsOf(await webServices(), caller)
  return terms.ok ? terms.value : null
}
