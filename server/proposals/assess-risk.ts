/** The facts of [proposals#risk] for many proposals at once: one statement, and each quotation is looked up once. */
import sql from 'sql-template-tag'
import type { Citation } from '#contracts/proposal-body.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { assessRisk, type Risk, type RiskFacts } from '#domain/proposal/risk.rules.ts'
import { isInConflict, type Standing } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'

import type { StoredChange } from './proposal-row.ts'

type Stood = { changes: readonly Omit<StoredChange, 'unified'>[]; standing: Standing }
type Known = Pick<Row<'proposal'>, 'proposal_id' | 'action' | 'tainted' | 'agent_slug' | 'citations'> & {
  rejections: number
  new_version: boolean
}

/** The risk of each of these proposals, whose changes stand like that. */
export async function assessRisks(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  stood: ReadonlyMap<string, Stood>,
): Promise<ReadonlyMap<string, Risk>> {
  const rows = await knownOf(db, [...stood.keys()])
  const risks = rows.map(async (row) => {
    const { changes, standing } = stood.get(row.proposal_id) as Stood
    const agent = row.agent_slug === null ? null : await agentFacts(garden, row)
    const risk = assessRisk({
      ...factsOf(changes, standing),
      action: row.action,
      tainted: row.tainted,
      agent,
    })
    return [row.proposal_id, risk] as const
  })
  return new Map(await Promise.all(risks))
}

/** SQL: counts of the agent's past beside each row, along indexes of their own. */
async function knownOf(db: Db, ids: readonly string[]): Promise<Known[]> {
  if (ids.length === 0) return []
  const { rows } =
    await db.query<Known>(sql`SELECT p.proposal_id, p.action, p.tainted, p.agent_slug, p.citations,
      (SELECT count(*) FROM proposal d WHERE d.agent_slug = p.agent_slug AND d.target_key = p.target_key
        AND d.status IN ${states(proposalMachine, 'REJECTED', 'DISCARDED')}
        AND NOT d.relations ? 'superseded_by' AND d.decided_at > clock_timestamp() - interval '90 days') AS rejections,
      NOT EXISTS (SELECT 1 FROM proposal d WHERE d.agent_slug = p.agent_slug AND d.agent_version = p.agent_version
        AND d.git_commit IS NOT NULL) AS new_version
    FROM proposal p WHERE p.proposal_id = ANY(${[...ids]}::text[])`)
  return rows
}

function factsOf(
  changes: Stood['changes'],
  standing: Standing,
): Omit<RiskFacts, 'action' | 'agent' | 'tainted'> {
  const sum = (of: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[of], 0)
  return {
    paths: changes.map(({ path }) => path),
    additions: sum('additions'),
    deletions: sum('deletions'),
    removedFiles: changes.filter(({ type }) => type === 'delete').length,
    base: standing.state === 'clean' ? 'clean' : isInConflict(standing) ? 'conflict' : 'mergeable',
  }
}

async function agentFacts(garden: GitRepository, row: Known): Promise<RiskFacts['agent']> {
  const ungrounded = await ungroundedShare(garden, row.citations)
  return { ungrounded, newVersion: row.new_version, rejections: row.rejections }
}

async function ungroundedShare(garden: GitRepository, citations: readonly Citation[]): Promise<number> {
  if (citations.length === 0) return 1
  const grounded = await Promise.all(citations.map((citation) => isGrounded(garden, citation)))
  return grounded.filter((is) => !is).length / citations.length
}

/** A revision never changes, so neither does the answer. */
const answers = new Map<string, Promise<boolean>>()
const MAX_ANSWERS = 20_000

/** Whether the source says what is quoted; only notes can be asked, an artifact is taken at its word. */
function isGrounded(garden: GitRepository, { source, quote, source_revision }: Citation): Promise<boolean> {
  if (source.startsWith('artifacts/')) return Promise.resolve(true)
  const key = `${source_revision}\n${source}\n${quote}`
  const known = answers.get(key)
  if (known) return known
  const [oldest] = answers.keys()
  if (oldest !== undefined && answers.size >= MAX_ANSWERS) answers.delete(oldest)
  // A read that failed is no answer: this time it counts as none, the next time it is asked again.
  const answer = reads(garden, { source, quote, source_revision }).catch(() => {
    answers.delete(key)
    return false
  })
  answers.set(key, answer)
  return answer
}

async function reads(
  garden: GitRepository,
  { source, quote, source_revision }: Pick<Citation, 'source' | 'quote' | 'source_revision'>,
): Promise<boolean> {
  const path = source.replace(/^notes\//, '')
  const file = await garden.read(path, source_revision)
  return file !== null && oneLine(file.text).includes(oneLine(quote))
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
