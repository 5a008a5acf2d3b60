/**
 * The tests of `npm run check`: pure rules, contracts, the browser's parts, and the planted faults of the house's checks.
 * Each is part of a test file's path.
 */
export const QUICK_TESTS = [
  'src/',
  'server/env.test',
  'server/agents/agent-file.test',
  'server/agents/tools/',
  'server/garden/',
  'server/gate/operations.test',
  'server/http/app.test',
  'server/http/headers.test',
  'server/http/peer-address.test',
  'server/launch/figures.test',
  'server/launch/fill.test',
  'server/launch/launch-parts.test',
  'server/launch/mutants.test',
  'server/launch/references.test',
  'server/launch/schema.test',
  'server/launch/sql-names.test',
  'server/launch/wall.test',
  'server/launch/words.test',
  'server/concurrency/micro-batcher.test',
  'server/ledger/machine-edges.test',
  'server/metrics/',
  'server/notes/',
  'server/outbound/',
  'server/retrieval/',
  'server/system/monitoring/',
  'worker/loops/',
]
