import sql from 'sql-template-tag'
import type { AgentProblem, DefinitionCheck, DefinitionCheckInput } from '#contracts/agent.contract.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import type { Services } from '#server/services.ts'
import { parseAgentFile } from './agent-file.ts'
import { nextSlot, scheduleFault } from './cron-slots.ts'
import { judgeDefinition, unservedProblems } from './judge-definition.ts'
import { definitionPath } from './read-definition.ts'

const SHOWN_RUNS = 3

/** What the gate would say of this text against the garden's head, and when its schedule would start it. */
export async function checkDefinition(
  { db, garden, executors }: Pick<Services, 'db' | 'garden' | 'executors'>,
  { slug, text, create }: DefinitionCheckInput,
): Promise<DefinitionCheck> {
  const named = PATTERNS.slug.test(slug)
  const before = named && !create ? ((await garden.read(definitionPath(slug)))?.text ?? null) : null
  const taken = named && create ? await slugTaken({ db, garden }, slug) : []
  const { definition } = parseAgentFile(text, slug)
  const unserved = await unservedProblems(definition, text, { executors, severity: 'warning' })
  return {
    problems: [...taken, ...judgeDefinition({ slug, text, before }, executors), ...unserved],
    next_runs: nextRuns(text, slug),
  }
}

async function slugTaken(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  slug: string,
): Promise<AgentProblem[]> {
  const { rows } = await db.query(sql`SELECT 1 FROM agent WHERE slug = ${slug}`)
  if (rows.length === 0 && !(await garden.read(definitionPath(slug)))) return []
  const message = `There is an agent ${slug} already, or there was one. Choose another slug.`
  return [{ severity: 'error', code: 'slug_taken', message, line: null }]
}

function nextRuns(text: string, slug: string): string[] {
  const { cron, zone } = parseAgentFile(text, slug).triggers
  if (cron === null || scheduleFault({ cron, zone })) return []
  const times: Date[] = []
  while (times.length < SHOWN_RUNS) {
    const next = nextSlot({ cron, zone }, times.at(-1) ?? new Date())
    if (!next) break
    times.push(next)
  }
  return times.map((time) => time.toISOString())
}
