import type { Services } from '#server/services.ts'
import { findingOfError, spaceFinding } from '#server/system/disk-space.ts'
import type { Finding } from '#server/system/probe-health.ts'
import { readCheck, readRemote } from './care/get-garden-care.query.ts'
import type { Inconsistency } from './check-consistency.ts'
import { gardenInconsistencies, lostCommits } from './garden-watch.ts'

type Parts = Pick<Services, 'db' | 'garden'> & {
  env: Pick<Services['env'], 'BLOOM_HOME' | 'GARDEN_REMOTE'>
}

/**
 * The health of the garden's repository: whether it answers, holds what was applied to it, was found whole, has room for more, and is
 * followed by its remote.
 */
export async function gardenFinding(parts: Parts): Promise<Finding> {
  const head = await parts.garden.head().catch(findingOfHead)
  if (typeof head !== 'string') return head
  return (
    branchFinding(await gardenInconsistencies(parts)) ??
    (await damageFinding(parts)) ??
    (await spaceFinding(parts.env.BLOOM_HOME)) ??
    (await remoteFinding(parts)) ?? { status: 'healthy', message: null }
  )
}

function findingOfHead(error: Error): Finding {
  const { status, message } = findingOfError(error)
  return { status, message: message?.includes(':') ? message : `branch_missing: ${message}` }
}

function branchFinding(found: readonly Inconsistency[]): Finding | null {
  const lost = lostCommits(found).length
  if (lost > 0) {
    const message = `branch_rewound: The branch lacks the commits of ${lost} applied proposals. Run npm run repair-garden.`
    return { status: 'unavailable', message }
  }
  if (found.length === 0) return null
  const message = `branch_differs: The ledger and the branch disagree about ${found.length} proposals.`
  return { status: 'degraded', message }
}

/** What the newest check of all objects found: content of the garden is gone, and only a copy brings it back. */
async function damageFinding({ db }: Parts): Promise<Finding | null> {
  const { faults } = await readCheck(db)
  if (faults.length === 0) return null
  const message = `repository_damaged: ${faults.length} objects of the repository are missing or damaged. ${faults[0]}`
  return { status: 'unavailable', message: message.slice(0, 200) }
}

/** The garden itself is well; what was applied stands in one place only. */
async function remoteFinding({ db, env }: Parts): Promise<Finding | null> {
  const remote = await readRemote(db, env)
  if (!remote?.problem) return null
  const message = `remote_${remote.problem}: ${remote.waiting} applied proposals are not pushed. ${remote.message}`
  return { status: 'degraded', message: message.slice(0, 300) }
}
