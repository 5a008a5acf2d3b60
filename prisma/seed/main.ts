/**
 * The first garden, made once: the folder of GARDEN_DIR or the demo garden becomes a bare repository of its own, with the
 * three demo agents added to its first commit, and the ledger learns the agents and the owner. Every step finds what an
 * interrupted run has done already, so repeating it is safe.
 */
import { leftOutLines } from '#domain/garden/left-out.rules.ts'
import { loadEnv } from '#server/env.ts'
import { demoAgentFiles, demoGardenFolder } from './demo-garden.ts'
import { openFirstGarden } from './first-garden.ts'

const { services, report, agents } = await openFirstGarden(
  loadEnv(),
  demoGardenFolder(),
  await demoAgentFiles(),
)
await services.close()

if (report.created) process.stdout.write(`The garden has ${report.files} files.\n`)
for (const line of leftOutLines(report.leftOut)) process.stdout.write(`${line}\n`)
if (agents.created.length > 0) process.stdout.write(`Agents: ${agents.created.join(', ')}\n`)
