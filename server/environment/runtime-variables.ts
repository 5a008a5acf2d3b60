/** BLOOM Runtime: how nodes reach it, and how strict it is with nodes that know no leases [runtime#claims]. */
import { flag, key, webUrl } from './variables.ts'

export const runtimeVariables = {
  /** How nodes reach `/api/runtime`; the gateway's own address when not given. Never taken from a request. */
  RUNTIME_URL: webUrl.optional(),
  /** Refuses every report that shows no lease, also where it cannot be a late one. */
  RUNTIME_REQUIRE_LEASE: flag,
  /** Of machines on `/api/runtime`. */
  RUNTIME_API_KEY: key,
}
