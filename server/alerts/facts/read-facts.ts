import { accessFacts } from './access-facts.query.ts'
import { componentFacts } from './component-facts.query.ts'
import type { Fact, FactParts } from './fact-parts.ts'
import { jobFacts } from './job-facts.query.ts'
import { leadershipFacts } from './leadership-facts.query.ts'
import { proposalFacts } from './proposal-facts.query.ts'
import { runFacts } from './run-facts.query.ts'

/**
 * One look at everything that a rule speaks of ([alerts#facts]): some ten statements one after the other on one connection, each bounded and
 * along an index. If one fails, nothing is decided.
 */
export async function readFacts(parts: FactParts): Promise<Fact[]> {
  const facts: Fact[] = []
  for (const read of [jobFacts, runFacts, proposalFacts, componentFacts, leadershipFacts, accessFacts])
    facts.push(...(await read(parts)))
  return facts
}
