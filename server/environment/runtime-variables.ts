/** BLOOM Runtime: how nodes reach it, and how strict it is with nodes that know no leases [runtime#claims]. */
import { flag, key, webUrl } from './variables.ts'

export const runtimeVariables = {
  /** How nodes reach `/api/runtime`; the gateway's own address when not given. Never taken from a request. */
  RUNTIME_URL: webUrl.optional(),
  /** Refuses every report that shows no lease, also where it cannot be a late one. */
  RUNTIME_REQUIRE_LEASE: flag,
  /** Of machines on `/api/runtime`. */
  RUNTIME_API_KEY: key,
  /** The older name of it, which counts where the newer one is not given. */
  BLOOM_API_KEY: key.optional(),
  /** Of workers that have no key of their own: registers, fetches, reports, and nothing else. */
  BLOOM_WORKER_KEY: key.optional(),
}

/** The variables with those under their newer names that were given by the older ones. */
export const withNewerNames = (given: Record<string, string>): Record<string, string> =>
  given.BLOOM_API_KEY && !given.RUNTIME_API_KEY ? { ...given, RUNTIME_API_KEY: given.BLOOM_API_KEY } : given

/** What is wrong between these variables, by variable. */
export function runtimeFaults(env: {
  RUNTIME_API_KEY: string
  BLOOM_WORKER_KEY?: string | undefined
}): [variable: string, message: string][] {
  if (env.BLOOM_WORKER_KEY !== env.RUNTIME_API_KEY) return []
  return [['BLOOM_WORKER_KEY', 'must be another key than RUNTIME_API_KEY, which may do more']]
}
