/**
 * Keeps `review_class` and `risk`, by which the list of what waits for a decision is ordered ([proposals#review-order]). They say how a proposal stood
 * a few seconds ago; what may be done is decided by how it stands when it is done.
 */
import sql from 'sql-template-tag'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { RISK_LEVELS, type Risk, riskLevel } from '#domain/proposal/risk.rules.ts'
import { isInConflict, type Standing } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { state } from '#server/ledger/states.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { assessRisks } from './assess-risk.ts'
import { type CurrentContent, currentContent, standingAgainst } from './current-content.ts'
import type { StoredChange } from './proposal-row.ts'
import { changesOf } from './proposal-view.ts'

const BATCH = 500
/** What expires so soon comes first. */
const SOON = sql`clock_timestamp() + interval '24 hours'`
/** Looked at again although the garden did not move: what became PENDING since the last look, clocks and long transactions allowed for. */
const OVERLAP = sql`interval '1 minute'`
const PENDING = state(proposalMachine, proposalMachine.events.create.to)

type Look = { head: string; at: Date }
const looks = new WeakMap<GitRepository, Look>()

/**
 * Looks at every pending proposal when the garden has moved since this process last looked, else at those that are new or whose agent
 * has had a decision since.
 */
export async function keepReviewOrder({ db, garden }: Pick<Services, 'db' | 'garden'>): Promise<void> {
  await sortByExpiry(db)
  const { rows } = await db.query<{ now: Date }>(sql`SELECT clock_timestamp() AS now`)
  const head = await garden.head()
  const last = looks.get(garden)
  const since = last?.head === head ? last.at : null
  let after: string | null = ''
  while (after !== null) after = await sortByConflict(db, garden, { head, since, after })
  looks.set(garden, { head, at: rows[0]?.now ?? new Date(0) })
}

const sortByExpiry = (db: Db) =>
  db.query(sql`UPDATE proposal SET review_class = review_class # 1
    WHERE status = ${PENDING} AND (expires_at <= ${SOON}) <> (review_class % 2 = 0)`)

type Part = { head: string; since: Date | null; after: string }

/** One batch; returns where the next begins, or null. */
async function sortByConflict(
  db: Db,
  garden: GitRepository,
  { head, since, after }: Part,
): Promise<string | null> {
  const { rows } = await db.query<{ proposal_id: string }>(sql`SELECT proposal_id FROM proposal
    WHERE status = ${PENDING} AND proposal_id > ${after} AND (${since}::timestamptz IS NULL
      OR updated_at > ${since}::timestamptz - ${OVERLAP} OR agent_slug = ANY(ARRAY(${decidedAgents(since)})))
    ORDER BY proposal_id LIMIT ${BATCH}`)
  const ids = rows.map((row) => row.proposal_id)
  const changes = await changesOf(db, ids)
  const content = await currentContent(garden, head)
  const stood = await standingsOf(content, changes)
  const conflicts = ids.map((id) => isInConflict(stood.get(id)?.standing ?? CLEAN))
  await db.query(sql`UPDATE proposal p SET review_class = p.review_class # 2
    FROM unnest(${ids}::text[], ${conflicts}::boolean[]) AS i(id, conflict)
    WHERE p.proposal_id = i.id AND p.status = ${PENDING} AND i.conflict <> (p.review_class >= 2)`)
  await sortByRisk(db, await assessRisks({ db, garden }, stood))
  return ids.length === BATCH ? (ids.at(-1) ?? null) : null
}

const CLEAN = { state: 'clean', mergeable: true } as const

/** Agents of pending proposals that somebody decided about since: their past weighs in. Not what a successor took the place of, as `proposal_track` has it. */
const decidedAgents = (since: Date | null) => sql`SELECT agent_slug FROM
    (SELECT DISTINCT agent_slug FROM proposal WHERE status = ${PENDING} AND agent_slug IS NOT NULL) AS waiting
  WHERE EXISTS (SELECT 1 FROM proposal d WHERE d.agent_slug = waiting.agent_slug AND d.decided_at > ${since}::timestamptz - ${OVERLAP}
    AND NOT d.relations ? 'superseded_by')`

type Stood = { changes: StoredChange[]; standing: Standing }

async function standingsOf(
  content: CurrentContent,
  changes: ReadonlyMap<string, StoredChange[]>,
): Promise<ReadonlyMap<string, Stood>> {
  const each = [...changes].map(async ([id, of]) => {
    const standing = await standingAgainst(content, of)
    return [id, { changes: of, standing }] as const
  })
  return new Map(await Promise.all(each))
}

async function sortByRisk(db: Db, risks: ReadonlyMap<string, Risk>): Promise<void> {
  const texts = [...risks.values()].map((risk) => JSON.stringify(risk))
  const ranks = [...risks.values()].map((risk) => RISK_LEVELS.indexOf(riskLevel(risk)))
  await db.query(sql`UPDATE proposal p SET risk = i.risk::jsonb, risk_rank = i.rank
    FROM unnest(${[...risks.keys()]}::text[], ${texts}::text[], ${ranks}::smallint[]) AS i(id, risk, rank)
    WHERE p.proposal_id = i.id AND p.status = ${PENDING} AND p.risk IS DISTINCT FROM i.risk::jsonb`)
}
