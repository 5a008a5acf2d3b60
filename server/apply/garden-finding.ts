import type { Services } from '#server/services.ts'
import { findingOfError, spaceFinding } from '#server/system/disk-space.ts'
import type { Finding } from '#server/system/probe-health.ts'
import type { Inconsistency } from './check-consistency.ts'
import { gardenInconsistencies, lostCommits } from './garden-watch.ts'

type Parts = Pick<Services, 'db' | 'garden'> & { env: Pick<Services['env'], 'BLOOM_HOME'> }

/** The health of the garden's repository: whether it answers, holds what was applied to it, and has room for more. */
export async function gardenFinding(parts: Parts): Promise<Finding> {
  const head = await parts.garden.head().catch(findingOfHead)
  if (typeof head !== 'string') return head
  return (
    branchFinding(await gardenInconsistencies(parts)) ??
    (await spaceFinding(parts.env.BLOOM_HOME)) ?? { status: 'healthy', message: null }
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
