import { StorageUnavailable } from '#server/ports/object-store.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { type Applied, applyProposal } from './apply-proposal.ts'
import type { Engine } from './engine.ts'
import { gardenInconsistencies, lostCommits } from './garden-watch.ts'
import { publishAgents } from './publish-agents.ts'
import { nextApplyIn, retakeProposals, takeProposal } from './take-proposal.ts'

/**
 * One tick of the apply loop: applies everything that is due, one after another. Returns how many were handled and in how many
 * milliseconds the next hold ends (null when nothing waits, or nothing may be applied). `stopped` ends it between two proposals.
 */
export async function applyDue(
  engine: Engine,
  stopped: () => boolean = () => false,
): Promise<{ handled: number; nextInMs: number | null }> {
  // While nothing is due the repository is left alone. Asked once: the answer looks at everything that waits.
  const waiting = await nextApplyIn(engine.db)
  if (waiting !== 0) return { handled: 0, nextInMs: waiting }
  let handled = 0
  let isWhole = await isGardenWhole(engine)
  while (isWhole && !stopped()) {
    const row = await takeProposal(engine.db, engine.holder)
    if (!row) break
    handled++
    await engine.checkpoint('taken')
    await applyLeased(engine, row)
    isWhole = await isGardenWhole(engine)
  }
  return { handled, nextInMs: isWhole ? await nextApplyIn(engine.db) : null }
}

/**
 * On a branch that lacks what was applied, nothing is built: it would stand in the way of bringing that back. A repository that does
 * not answer is no such branch; its proposals wait in their own attempts.
 */
async function isGardenWhole(engine: Engine): Promise<boolean> {
  const lost = lostCommits(await gardenInconsistencies(engine).catch(unlessUnavailable))
  if (lost.length > 0)
    engine.log.error({ lost: lost.length }, 'nothing is applied: the branch lacks what was applied before')
  return lost.length === 0
}

function unlessUnavailable(error: unknown): [] {
  if (error instanceof StorageUnavailable) return []
  throw error
}

/**
 * At start-up and every 15 s: finishes what another engine left behind, repeats a lost publication and removes stale locks ([apply#recovery]).
 * A lock that stands in the way of a move is taken over there, so the removal waits until the proposals are done and cannot keep them.
 */
export async function recoverApplying(engine: Engine): Promise<number> {
  try {
    return await retakeAll(engine)
  } finally {
    await sweepGarden(engine)
  }
}

async function sweepGarden({ garden, log }: Engine): Promise<void> {
  const removed = await garden.sweep((error) =>
    log.warn({ err: error }, 'something in the repository could not be removed or looked at'),
  )
  if (removed.length > 0) log.warn({ removed }, 'removed what ended processes left in the repository')
}

async function retakeAll(engine: Engine): Promise<number> {
  if (!(await isGardenWhole(engine))) return 0
  const rows = await retakeProposals(engine.db, engine.holder)
  for (const row of rows) await applyLeased(engine, row)
  if (rows.length === 0) await follow(engine)
  return rows.length
}

async function applyLeased(engine: Engine, row: ProposalRow): Promise<Applied> {
  const applied = await applyProposal(engine, row)
  if (applied.outcome === 'applied') await follow(engine, applied.commit)
  return applied
}

/** Projections follow the branch; their failure never touches the commit and is made up for by the next look. */
async function follow(engine: Engine, commit?: string): Promise<void> {
  try {
    const published = await publishAgents(engine)
    if (commit) await engine.checkpoint('published')
    if (commit || published.length > 0) await engine.onApplied(commit ?? (await engine.garden.head()))
  } catch (error) {
    engine.log.warn({ err: error, commit }, 'publishing agents failed and will be retried')
  }
}
