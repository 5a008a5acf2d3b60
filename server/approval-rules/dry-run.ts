/**
 * What a rule would have done to the proposals of the past ([approval-rules#dry-run]). It reads and writes nothing. Whether a target was
 * clean when its proposal came is no longer known and is taken to be so; caps are not applied, so that no disagreement hides behind one.
 */
import sql from 'sql-template-tag'
import {
  type Disagreement,
  type DryRunInput,
  type DryRunResult,
  RULE_LIMITS,
} from '#contracts/approval-rule.contract.ts'
import { parseCondition } from '#domain/approval-rule/condition.rules.ts'
import { matches } from '#domain/approval-rule/evaluate.rules.ts'
import { floorOf } from '#domain/approval-rule/floors.rules.ts'
import type { RuleSubject } from '#domain/approval-rule/rule-subject.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { issueDryRunToken } from './dry-run-token.ts'
import { ruleDigest } from './rule-row.ts'
import { subjectOf } from './rule-subject-of.ts'

const DAY_MS = 86_400_000
const { approve, take, applied, fail, reject, discard } = proposalMachine.events
const APPROVED: readonly string[] = [approve.to, take.to, applied.to, fail.to]
const REJECTED: readonly string[] = [reject.to, discard.to]

/** The columns that a dry run reads; of the changes not their texts. */
const COLUMNS = [
  'proposal_id',
  'status',
  'summary',
  'action',
  'agent_slug',
  'priority',
  'source_type',
  'source_identity',
  'tainted',
  'target_type',
  'target_path',
  'relations',
  'decision_mode',
  'decision_note',
  'reason_code',
  'decided_at',
  'created_at',
  'changes',
] as const
/** How what took its place comes from it; null when nothing did. */
type Past = Row<'proposal', (typeof COLUMNS)[number]> & {
  replaced: 'edited' | 'sent_back' | 'rebased' | null
}

export async function dryRun(
  { db, env }: Pick<Services, 'db' | 'env'>,
  { rule, from, to }: DryRunInput,
  actor: Caller,
): Promise<Result<DryRunResult>> {
  const read = parseCondition(rule.condition)
  if (!read.ok) return read
  const end = to ? new Date(to) : new Date()
  const begin = from ? new Date(from) : new Date(end.getTime() - RULE_LIMITS.defaultDays * DAY_MS)
  if (begin >= end || end.getTime() - begin.getTime() > RULE_LIMITS.days * DAY_MS) {
    const message = `must be before to, and at most ${RULE_LIMITS.days} days earlier`
    return refuse({
      code: 'VALIDATION_FAILED',
      message: `from ${message}.`,
      details: [{ field: 'from', message }],
    })
  }
  const past = await proposalsBetween(db, begin, end)
  const tally = newTally()
  for (const one of past.slice(0, RULE_LIMITS.evaluated)) {
    const subject = subjectOf(one)
    if (matches(read.value, subject)) count(tally, one, subject)
  }
  const { disagreed, perDay, ...counts } = tally
  const claims = {
    sub: actor.identity,
    digest: ruleDigest({ ...rule, condition: read.value }),
    total: disagreed.length,
    from: begin.getTime(),
    to: end.getTime(),
  }
  const listed = disagreed.slice(0, RULE_LIMITS.disagreements)
  const ids = listed.map((one) => one.proposal_id)
  return ok({
    from: begin.toISOString(),
    to: end.toISOString(),
    evaluated: Math.min(past.length, RULE_LIMITS.evaluated),
    ...counts,
    disagreed: listed,
    disagreed_total: disagreed.length,
    busiest_day: Math.max(0, ...perDay.values()),
    truncated: past.length > RULE_LIMITS.evaluated,
    dry_run_token: await issueDryRunToken(env.BLOOM_SESSION_KEY, { ...claims, ids }, new Date()),
  })
}

/** Newest first, one more than is evaluated. */
async function proposalsBetween(db: Db, from: Date, to: Date): Promise<Past[]> {
  const { rows } =
    await db.query<Past>(sql`SELECT p.proposal_id, p.status, p.summary, p.action, p.agent_slug, p.priority, p.source_type,
      p.source_identity, p.tainted, p.target_type, p.target_path, p.relations, p.decision_mode, p.decision_note, p.reason_code,
      p.decided_at, p.created_at,
      (SELECT CASE WHEN s.relations ? 'edited_from' THEN 'edited' WHEN s.relations ? 'supersedes' THEN 'sent_back' ELSE 'rebased' END
        FROM proposal s WHERE s.proposal_id = p.relations->>'superseded_by') AS replaced,
      (SELECT coalesce(jsonb_agg(c - 'unified' - 'text' - 'tags'), '[]') FROM jsonb_array_elements(p.changes) c) AS changes
    FROM proposal p WHERE p.created_at >= ${from} AND p.created_at < ${to}
    ORDER BY p.created_at DESC, p.proposal_id DESC LIMIT ${RULE_LIMITS.evaluated + 1}`)
  return rows
}

const newTally = () => ({
  matched: 0,
  agreed: 0,
  undecided: 0,
  kept_back: 0,
  disagreed: [] as Disagreement[],
  perDay: new Map<string, number>(),
})

function count(tally: ReturnType<typeof newTally>, one: Past, subject: RuleSubject): void {
  if (floorOf(subject)) {
    tally.kept_back++
    return
  }
  tally.matched++
  const day = one.created_at.toISOString().slice(0, 10)
  tally.perDay.set(day, (tally.perDay.get(day) ?? 0) + 1)
  const said = decisionOf(one)
  if (said === 'agreed') tally.agreed++
  else if (said === 'undecided') tally.undecided++
  else tally.disagreed.push(disagreementOf(one, said))
}

/**
 * What a person decided. Who undid it, edited it or sent it back to its agent did not want it as it was; what a rebase took the place of was
 * never decided.
 */
function decisionOf(one: Past): 'agreed' | 'undecided' | Disagreement['kind'] {
  if (one.relations.reverted_by) return 'reverted'
  if (one.decision_mode !== 'manual') return 'undecided'
  if (APPROVED.includes(one.status)) return 'agreed'
  if (one.relations.superseded_by)
    return one.replaced === 'edited' || one.replaced === 'sent_back' ? one.replaced : 'undecided'
  return REJECTED.includes(one.status) ? 'rejected' : 'undecided'
}

const disagreementOf = (one: Past, kind: Disagreement['kind']): Disagreement => ({
  proposal_id: one.proposal_id,
  summary: one.summary,
  kind,
  decided_at: one.decided_at?.toISOString() ?? null,
  // Where something took its place, the note says what.
  decision_note: kind === 'edited' || kind === 'sent_back' ? null : one.decision_note,
  reason_code: one.reason_code,
})
