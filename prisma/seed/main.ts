/**
 * The first garden, made once: the folder of GARDEN_DIR or the demo garden becomes a bare repository of its own, with the
 * three demo agents added to its first commit, and the ledger learns the agents and the owner. Every step finds what an
 * interrupted run has done already, so repeating it is safe.
 */
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { syncAgents } from '#server/agents/sync-agents.ts'
import { ensureOwner } from '#server/auth/ensure-owner.ts'
import { createServices, gardenFolder } from '#server/composition/create-services.ts'
import { loadEnv } from '#server/env.ts'
import { DEMO_AGENTS, demoAgentFiles, demoGardenFolder } from './demo-garden.ts'

const env = loadEnv()
const report = await importGarden(env.GARDEN_DIR ?? demoGardenFolder(), gardenFolder(env), {
  author: { name: 'Garden Bloom Console', email: 'console@garden-bloom.local' },
  extraFiles: await demoAgentFiles(),
})
const services = await createServices({ env, service: 'seed' })
await ensureOwner(services)
const agents = await syncAgents(services, { trusted: DEMO_AGENTS })
await services.close()

if (report.created) console.log(`The garden has ${report.files} files.`)
for (const { path, reason } of report.leftOut) console.log(`Left out: ${path} (${reason})`)
if (agents.created.length > 0) console.log(`Agents: ${agents.created.join(', ')}`)
