/**
 * The first garden, made once: the folder of GARDEN_DIR or the demo garden becomes a bare repository of its own, with the
 * three demo agents added to its first commit, and the ledger learns the agents and the owner. Every step finds what an
 * interrupted run has done already, so repeating it is safe.
 */
import { syncAgents } from '#server/agents/sync-agents.ts'
import { ensureOwner } from '#server/auth/ensure-owner.ts'
import { createServices } from '#server/composition/create-services.ts'
import { makeFirstGarden } from '#server/composition/make-first-garden.ts'
import { loadEnv } from '#server/env.ts'
import { agentFile, DEMO_AGENTS, demoAgentFiles, demoGardenFolder } from './demo-garden.ts'

const env = loadEnv()
const report = await makeFirstGarden(env, demoGardenFolder(), await demoAgentFiles())
const services = await createServices({ env, service: 'seed' })
await ensureOwner(services)
const agents = await syncAgents(services, {
  trusted: DEMO_AGENTS.filter((slug) => report.ours.includes(agentFile(slug))),
})
await services.close()

if (report.created) console.log(`The garden has ${report.files} files.`)
for (const { path, reason } of report.leftOut) console.log(`Left out: ${path} (${reason})`)
if (agents.created.length > 0) console.log(`Agents: ${agents.created.join(', ')}`)
