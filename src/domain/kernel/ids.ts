/**
 * Forms of the ids of the contract. The random part comes from the caller, so this stays pure; the date is UTC.
 */
const day = (now: Date) => now.toISOString().slice(0, 10)
const clock = (now: Date) => now.toISOString().slice(11, 19).replaceAll(':', '')

/** `inbox_<YYYY-MM-DD>_<12 of [0-9a-z]>`. */
export const inboxId = (now: Date, random: string) => `inbox_${day(now)}_${random.slice(0, 12)}`
/** `prop_<YYYY-MM-DD>_<12 hex>`. */
export const proposalId = (now: Date, hex: string) =>
  `prop_${day(now)}_${hex.replaceAll('-', '').slice(0, 12)}`
/** `run_<YYYY-MM-DD>_<HHMMSS>_<6 of [0-9a-z]>`. */
export const runId = (now: Date, random: string) => `run_${day(now)}_${clock(now)}_${random.slice(0, 6)}`
/** `art-<uuid v4>`. */
export const artifactId = (uuid: string) => `art-${uuid}`

/** `alert-<uuid v4>`. */
export const alertId = (uuid: string) => `alert-${uuid}`

export const PATTERNS = {
  inbox: /^inbox_\d{4}-\d{2}-\d{2}_[0-9a-z]{6,12}$/,
  proposal: /^prop_\d{4}-\d{2}-\d{2}_[0-9a-f]{12}$/,
  run: /^run_\d{4}-\d{2}-\d{2}_(\d{6}_)?[0-9a-z]{6,12}$/,
  job: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  artifact: /^art-[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  alert: /^alert-[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  zone: /^[0-9a-f]{8}$/,
  slug: /^[a-z0-9][a-z0-9-]{0,63}$/,
} as const
