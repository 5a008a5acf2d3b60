/**
 * Brings the ledger's agents up to date with the garden's head: every `agents/<slug>/_agent.md` is an agent ([agents#A1]).
 *
 * A new one enters as draft, whatever its file says; only agents that the product itself put there (`trusted`, by slug) become active with
 * the first commit. A changed file gives the row a new revision and new problems; its state stays, since only the owner's commands and
 * the runtime change it. When a file is gone its row stays, with a problem that says so; an archived agent whose file a proposal took away
 * is then deleted, which is how an applied deletion ends. An agent that cannot be read or stored keeps none of the others back: the error
 * comes once they are up to date. Any number of processes may do this at once: the
 * same head gives the same rows. Where it is known that nothing below `agents/` has changed, nothing is read.
 */

import sql from 'sql-template-tag'
import type { AgentProblem } from '#contracts/agent.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { targetKey } from '#domain/proposal/conflict.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { pathsSince } from '#server/garden/paths-since.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import type { Services } from '#server/services.ts'
import { agentFields, FILE_MISSING } from './agent-fields.ts'
import type { AgentRow } from './agent-row.ts'
import { versionNotRaised } from './judge-definition.ts'
import { definitionPath, type PinnedDefinition, readDefinition } from './read-definition.ts'

type Parts = Pick<Services, 'db' | 'garden'>
export type SyncReport = { head: string; created: string[]; changed: string[]; missing: string[] }

type SyncOptions = {
  trusted?: readonly string[]
  actor?: Caller
  /** The head that this process brought the ledger up to before. */
  since?: string | null
}

/** Further back than so many commits all is read anew. */
const COMMITS = 100
const FILE = /^agents\/([^/]+)\/_agent\.md$/

const APPLYING = state(proposalMachine, proposalMachine.events.take.to)
/** Stands for a slug, which never holds it, in the texts that SQL fills in. */
const ANY = '*'
const PATH_OF_ANY = definitionPath(ANY)
const KEY_OF_ANY = targetKey(PATH_OF_ANY)

/** Whether a path of the garden belongs to an agent. */
export const isOfAgents = (path: string): boolean => path.startsWith('agents/')

export async function syncAgents(parts: Parts, options: SyncOptions = {}): Promise<SyncReport> {
  const actor = options.actor ?? GATEWAY
  const head = await parts.garden.head()
  const report: SyncReport = { head, created: [], changed: [], missing: [] }
  const isRead = !(await isFollowed(parts.garden, options.since ?? null, head))
  const faults = isRead ? await readAgents(parts, report, { ...options, actor }) : []
  await parts.db.transaction((tx) => finishDeletions(tx, head, actor))
  if (faults.length > 0) throw faults[0]
  return report
}

/** Whether the agents are those of a head that the ledger was brought up to. */
async function isFollowed(garden: Parts['garden'], since: string | null, head: string): Promise<boolean> {
  const changed = since ? await pathsSince(garden, { since, head, most: COMMITS }) : null
  return changed !== null && !changed.paths.some(isOfAgents)
}

/** Fills the report; gives the errors of the agents that could not be brought up to date. */
async function readAgents(
  parts: Parts,
  report: SyncReport,
  { trusted = [], actor }: SyncOptions & { actor: Caller },
): Promise<unknown[]> {
  const { head } = report
  const slugs = (await parts.garden.list(head))
    .flatMap((e) => FILE.exec(e.path)?.[1] ?? [])
    .filter((slug) => PATTERNS.slug.test(slug))
  const faults: unknown[] = []
  for (const slug of slugs) {
    try {
      const file = await readDefinition(parts.garden, slug, head)
      if (!file) continue
      const how = await parts.db.transaction((tx) => upsertAgent(tx, file, trusted.includes(slug), actor))
      if (how) report[how].push(slug)
    } catch (error) {
      faults.push(error)
    }
  }
  report.missing = await markMissing(parts.db, slugs, head)
  return faults
}

async function upsertAgent(
  tx: Db,
  file: PinnedDefinition,
  trusted: boolean,
  actor: Caller,
): Promise<'created' | 'changed' | null> {
  const made = await create(tx, {
    machine: 'agent',
    actor,
    values: { slug: file.slug, ...columnsOf(file) },
    details: { revision: file.revision, version: file.version },
  })
  if (made) {
    if (trusted && file.frontmatter.status === agentMachine.events.activate.to && !hasErrors(file.problems)) {
      await transition(tx, { machine: 'agent', event: 'activate', actor, where: sql`o.slug = ${file.slug}` })
    }
    return 'created'
  }
  const { rows } = await tx.query<AgentRow>(sql`SELECT * FROM agent WHERE slug = ${file.slug} FOR UPDATE`)
  const known = rows[0]
  if (!known || known.sha256 === file.sha256) return null
  const columns = columnsOf(file, versionProblem(known, file))
  await tx.query(sql`UPDATE agent SET name = ${columns.name}, description = ${columns.description}, version = ${columns.version},
      model = ${columns.model}, definition = ${columns.definition}, instructions = ${columns.instructions}, problems = ${columns.problems},
      revision = ${columns.revision}, sha256 = ${columns.sha256}, updated_at = clock_timestamp() WHERE slug = ${file.slug}`)
  return 'changed'
}

const hasErrors = (problems: readonly AgentProblem[]) => problems.some((p) => p.severity === 'error')

/** An edit past the gate, by push, may leave the version as it was: that is a warning. */
function versionProblem(known: AgentRow, file: PinnedDefinition): AgentProblem[] {
  const { version, definition, instructions } = known
  const before = { version, frontmatter: definition, body: instructions }
  const after = { version: file.version, frontmatter: file.frontmatter, body: file.definition.body }
  const problem = versionNotRaised(before, after)
  return problem ? [problem] : []
}

function columnsOf(file: PinnedDefinition, more: AgentProblem[] = []) {
  const fields = agentFields(file, more)
  return { ...fields, definition: json(fields.definition), problems: json(fields.problems) }
}

async function markMissing(db: Db, slugs: string[], head: string): Promise<string[]> {
  const { rows } = await db.query<
    Row<'agent', 'slug'>
  >(sql`UPDATE agent SET problems = ${json([FILE_MISSING])}, sha256 = '', revision = ${head},
      updated_at = clock_timestamp()
    WHERE NOT slug = ANY(${slugs}::text[]) AND sha256 <> '' RETURNING slug`)
  return rows.map((r) => r.slug)
}

/**
 * An archived agent whose file a proposal took away is deleted; its runs and artifacts stay. A file that was removed by hand deletes no
 * agent. The commit is seen before its proposal is APPLIED, so one that is being applied counts.
 */
async function finishDeletions(tx: Db, head: string, actor: Caller): Promise<void> {
  await transition(tx, {
    machine: 'agent',
    event: 'delete',
    actor,
    where: sql`o.sha256 = '' AND o.revision <> '' AND EXISTS (SELECT 1 FROM proposal p
      WHERE p.target_key = replace(${KEY_OF_ANY}, ${ANY}, o.slug) AND (p.git_commit IS NOT NULL OR p.status = ${APPLYING})
        AND p.changes @> jsonb_build_array(jsonb_build_object('type', 'delete', 'path', replace(${PATH_OF_ANY}, ${ANY}, o.slug))))`,
    details: { revision: head },
    returning: ['slug'],
  })
}
