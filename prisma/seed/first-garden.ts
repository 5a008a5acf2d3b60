import { syncAgents } from '#server/agents/sync-agents.ts'
import { ensureOwner } from '#server/auth/ensure-owner.ts'
import { createServices } from '#server/composition/create-services.ts'
import { makeFirstGarden } from '#server/composition/make-first-garden.ts'
import type { Env } from '#server/env.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { agentFile, DEMO_AGENTS, type SeedFile } from './demo-garden.ts'

type Report = Awaited<ReturnType<typeof makeFirstGarden>>

/**
 * Makes the garden's repository of this folder (of GARDEN_DIR, when that is given) with these files of agents in its first
 * commit; the ledger learns the owner and the agents. What is there already stays as it is. `close` the services afterwards.
 */
export const openFirstGarden = async (env: Env, folder: string, agentFiles: readonly SeedFile[]) =>
  registerGarden(env, await makeFirstGarden(env, folder, agentFiles))

/**
 * The part of it that needs the ledger. Its events are sealed as well: the worker that seals the others may begin minutes later, where the
 * pages are built in between.
 */
export async function registerGarden(env: Env, report: Report) {
  const services = await createServices({ env, service: 'seed' })
  await ensureOwner(services)
  const agents = await syncAgents(services, {
    trusted: DEMO_AGENTS.filter((slug) => report.ours.includes(agentFile(slug))),
  })
  await sealAll(services.db)
  return { services, report, agents }
}
