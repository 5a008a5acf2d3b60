import { accessFacts } from './access-facts.query.ts'
import { componentFacts } from './component-facts.query.ts'
import type { Fact, FactParts } from './fact-parts.ts'
import { jobFacts } from './job-facts.query.ts'
import { leadershipFacts } from './leadership-facts.query.ts'
import { proposalFacts } from './proposal-facts.query.ts'
import { runFacts } from './run-facts.query.ts'
import { runtimeFacts } from './runtime-facts.query.ts'

const READERS = [
  jobFacts,
  runFacts,
  proposalFacts,
  runtimeFacts,
  componentFacts,
  leadershipFacts,
  accessFacts,
]

/**
 * One look at everything that a rule speaks of ([alerts#facts]): some twenty statements one after the other on one connection, each bounded and
 * along an index. If one fails, nothing is decided.
 */
export async function readFacts(parts: FactParts): Promise<Fact[]> {
  const facts: Fact[] = []
  for (const read of READERS) facts.push(...(await read(parts)))
  return facts
}
