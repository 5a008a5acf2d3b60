/**
 * Creates a proposal as the approval rules judge it, in one transaction ([proposals#P2], [approval-rules#evaluation]).
 *
 * The judgement stands on the proposal from the first. The slot under a rule's cap is taken by one guarded statement that also locks the
 * rule: while it is being turned off or edited nothing is approved by what it was. What was not created releases its slot.
 */
import sql, { type Sql } from 'sql-template-tag'
import { evaluateRules, type ReadRule, type TraceEntry } from '#domain/approval-rule/evaluate.rules.ts'
import type { RuleOutcome } from '#domain/approval-rule/rule-subject.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import type { Standing } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { type Creation, createProposal, type NewProposal } from '#server/proposals/create-proposal.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { tryTransition } from '#server/proposals/transition-proposal.ts'
import { readRule, rulesInForce } from './rule-row.ts'
import { subjectOfNew } from './rule-subject-of.ts'

type Parts = { db: Db; garden: GitRepository }
type Approval = { rule: ReadRule; standing: Standing }
type Judgement = { trace: TraceEntry[]; approval: Approval | null }

/** `db` is the transaction of whoever asks; the row that comes back is approved already where a rule approved it. */
export async function createUnderRules(parts: Parts, p: NewProposal, actor: Caller): Promise<Creation> {
  const { trace, approval } = await judge(parts, p)
  const made = await createProposal(parts.db, { ...p, ruleTrace: trace }, actor)
  if (made.outcome !== 'created') {
    if (approval) await releaseSlot(parts.db, approval.rule)
    return made
  }
  if (approval) return { outcome: 'created', row: await approveByRule(parts.db, made.row, approval) }
  const last = trace.at(-1)
  if (last?.matched) await countMatch(parts.db, last.rule_id)
  return made
}

async function judge({ db, garden }: Parts, p: NewProposal): Promise<Judgement> {
  const rules = await rulesInForce(db)
  if (rules.length === 0) return { trace: [], approval: null }
  const { trace, approving } = evaluateRules(rules.map(readRule), subjectOfNew(p))
  if (!approving) return { trace, approval: null }
  const standing = await cleanStanding(garden, p)
  const outcome = standing === null ? 'not_clean' : await takeSlot(db, approving)
  const approval = standing && outcome === 'approved' ? { rule: approving, standing } : null
  return { trace: withOutcome(trace, outcome), approval }
}

const withOutcome = (trace: readonly TraceEntry[], outcome: RuleOutcome): TraceEntry[] =>
  trace.map((entry, n) => (n === trace.length - 1 ? { ...entry, outcome } : entry))

/** How the changes stand where all are clean; null where they are not, or where nobody knows. */
async function cleanStanding(garden: GitRepository, p: NewProposal): Promise<Standing | null> {
  try {
    const standing = await standingAgainst(await currentContent(garden), p.changes)
    return standing.state === 'clean' ? standing : null
  } catch (error) {
    if (error instanceof StorageUnavailable) return null
    throw error
  }
}

const TODAY = sql`(clock_timestamp() AT TIME ZONE 'UTC')::date`

/** The rule as it was evaluated, locked until the proposal is there. */
const stillInForce = ({
  rule_id,
  version,
}: ReadRule): Sql => sql`SELECT r.rule_id, r.daily_cap FROM approval_rule r
  WHERE r.rule_id = ${rule_id} AND r.version = ${version} AND r.mode = 'on' AND r.removed_at IS NULL
    AND coalesce(r.expires_at > clock_timestamp(), true) FOR SHARE`

/** Takes a slot under the cap of today. */
async function takeSlot(db: Db, rule: ReadRule): Promise<'approved' | 'capped' | 'withdrawn'> {
  const { rows } = await db.query<{
    found: number
    taken: number
  }>(sql`WITH rule AS MATERIALIZED (${stillInForce(rule)}), taken AS (
      INSERT INTO approval_rule_day AS d (rule_id, day, matched, approved) SELECT rule.rule_id, ${TODAY}, 1, 1 FROM rule
      ON CONFLICT (rule_id, day) DO UPDATE SET matched = d.matched + 1, approved = d.approved + 1, last_matched_at = clock_timestamp()
      WHERE d.approved < coalesce((SELECT rule.daily_cap FROM rule), 2147483647) RETURNING 1)
    SELECT (SELECT count(*) FROM rule) AS found, (SELECT count(*) FROM taken) AS taken`)
  if (rows[0]?.taken) return 'approved'
  return rows[0]?.found ? 'capped' : 'withdrawn'
}

/** The transaction still holds the row that it counted on. */
const releaseSlot = (db: Db, { rule_id }: ReadRule) =>
  db.query(sql`UPDATE approval_rule_day d SET matched = d.matched - 1, approved = d.approved - 1
    WHERE d.rule_id = ${rule_id} AND d.day = (SELECT max(l.day) FROM approval_rule_day l WHERE l.rule_id = ${rule_id})`)

/** A match that approved nothing: in shadow, above a floor, not clean, over the cap. */
const countMatch = (db: Db, ruleId: string) =>
  db.query(sql`INSERT INTO approval_rule_day AS d (rule_id, day, matched) VALUES (${ruleId}, ${TODAY}, 1)
    ON CONFLICT (rule_id, day) DO UPDATE SET matched = d.matched + 1, last_matched_at = clock_timestamp()`)

async function approveByRule(db: Db, row: ProposalRow, { rule, standing }: Approval): Promise<ProposalRow> {
  const by = `rule:${rule.rule_id}@${rule.version}`
  const digest = reviewDigest(row, standing)
  const approved = await tryTransition(db, {
    id: row.proposal_id,
    event: 'auto_approve',
    actor: GATEWAY,
    set: sql`decided_by = ${by}, decided_at = clock_timestamp(), decision_mode = 'rule', decision_note = NULL, reason_code = NULL,
      review_digest = ${digest}, apply_not_before = NULL, error = NULL, rule_id = ${rule.rule_id}, rule_version = ${rule.version},`,
    details: { rule_id: rule.rule_id, rule_version: rule.version, review_digest: digest },
  })
  if (!approved) throw new Error(`${row.proposal_id} changed inside the transaction that created it`)
  return approved
}
