/**
 * The token of a dry run: which rule was tested, by whom, what it disagreed about, and which of that was opened since. It is signed and not
 * kept, so that a dry run writes nothing: opening a disagreement answers the token that says so.
 */
import { z } from 'zod'
import { RULE_LIMITS } from '#contracts/approval-rule.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { tokenKind } from '#server/tokens/token-kind.ts'

const HOURS_24_MS = 24 * 3_600_000
const TESTED_MS = RULE_LIMITS.defaultDays * HOURS_24_MS
/** From the beginning of a dry run to its token. */
const MINUTE_MS = 60_000

const dryRuns = tokenKind(
  'approval-rule-dry-run',
  z.object({
    sub: z.string(),
    digest: z.string(),
    /** Disagreements in all; `ids` are those that were listed. */
    total: z.number().int(),
    ids: z.array(z.string()).max(RULE_LIMITS.disagreements),
    /** Indexes of `ids` that were opened. */
    opened: z.array(z.number().int()),
    /** The time that was tested, in milliseconds. */
    from: z.number().int(),
    to: z.number().int(),
  }),
)
type Claims = {
  sub: string
  digest: string
  total: number
  ids: string[]
  opened: number[]
  from: number
  to: number
}

export const issueDryRunToken = (key: string, claims: Omit<Claims, 'opened'>, now: Date): Promise<string> =>
  dryRuns.sign(
    key,
    { ...claims, opened: [] },
    { issuedAt: now, expiresAt: new Date(now.getTime() + HOURS_24_MS) },
  )

/** Why a token does not count; `reason` is for the console. */
const no = (reason: string, message: string): Result<never> =>
  refuse({
    code: 'VALIDATION_FAILED',
    message,
    details: [{ field: 'dry_run_token', message, reason }],
  })

async function current(
  key: string,
  token: string,
  identity: string,
): Promise<Result<{ claims: Claims; end: Date }>> {
  const read = await dryRuns.read(key, token)
  if (!read || read.claims.sub !== identity) return no('not_tested', 'Run a dry run of this rule first.')
  if (read.expiresAt.getTime() <= Date.now())
    return no('too_old', 'The dry run is more than 24 hours old. Run it again.')
  return ok({ claims: read.claims, end: read.expiresAt })
}

const leftOf = ({ total, opened }: Claims): number => total - new Set(opened).size

/** Whether it tested at least the default time, up to the moment of the token. */
const isWhole = ({ from, to }: Claims, issued: number): boolean =>
  to >= issued - MINUTE_MS && from <= issued - TESTED_MS + MINUTE_MS

/** The token after these disagreements were opened; those of another dry run are no part of it. */
export async function openDisagreements(
  key: string,
  { dry_run_token: token, proposal_ids }: { dry_run_token: string; proposal_ids: string[] },
  identity: string,
): Promise<Result<{ dry_run_token: string; left: number }>> {
  const read = await current(key, token, identity)
  if (!read.ok) return read
  const { claims, end } = read.value
  const now = proposal_ids.map((id) => claims.ids.indexOf(id)).filter((index) => index >= 0)
  const next = { ...claims, opened: [...new Set([...claims.opened, ...now])].sort((a, b) => a - b) }
  const issuedAt = new Date(end.getTime() - HOURS_24_MS)
  const dry_run_token = await dryRuns.sign(key, next, { issuedAt, expiresAt: end })
  return ok({ dry_run_token, left: leftOf(next) })
}

/** Whether the token lets a rule of this digest be turned on. */
export async function testedDigest(
  key: string,
  token: string,
  { digest, identity }: { digest: string; identity: string },
): Promise<Result<string>> {
  const read = await current(key, token, identity)
  if (!read.ok) return read
  const { claims } = read.value
  if (claims.digest !== digest)
    return no('other_rule', 'The dry run tested another version of this rule. Run it again.')
  if (!isWhole(claims, read.value.end.getTime() - HOURS_24_MS))
    return no(
      'too_short',
      `A rule is tested on the last ${RULE_LIMITS.defaultDays} days at least. Run the dry run without from and to.`,
    )
  if (claims.total > claims.ids.length)
    return no('too_many', `The rule disagrees with you ${claims.total} times. Narrow its condition.`)
  const left = leftOf(claims)
  return left > 0
    ? no('not_opened', `Open the proposals that you decided otherwise; ${left} are left.`)
    : ok(digest)
}
