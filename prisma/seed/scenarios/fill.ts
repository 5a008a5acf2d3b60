/** Makes a scenario in the instance's own ledger and garden; data that is there is never changed or removed. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { gardenFolder } from '#server/composition/create-services.ts'
import type { Env } from '#server/env.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { agentFile, DEMO_AGENTS, DEMO_NOTE, demoAgentFiles, demoGardenFolder } from '../demo-garden.ts'
import { openFirstGarden } from '../first-garden.ts'
import { fillBusy } from './busy.ts'
import { fillFailing } from './failing.ts'
import { type Ground, isUsed } from './ground.ts'
import { fillLarge } from './large.ts'
import type { ScenarioName } from './names.ts'

const FILLS: Record<ScenarioName, (ground: Ground, count: number) => Promise<void>> = {
  empty: async () => {},
  demo: async () => {},
  busy: fillBusy,
  failing: fillFailing,
  large: fillLarge,
}

/** The scenario cannot be made here; the message says why. */
export class NotEmpty extends Error {}

/** Fills the instance of `env`. Throws `NotEmpty`, with nothing changed, when there is already what it would mix with. */
export async function fillScenario(env: Env, name: ScenarioName, count: number): Promise<void> {
  await refuseMixing(env, name)
  const { services } = name === 'empty' ? await openEmptyGarden(env) : await openDemoGarden(env)
  try {
    await FILLS[name](services, count)
    await sealAll(services.db)
  } finally {
    await services.close()
  }
}

async function refuseMixing(env: Env, name: ScenarioName): Promise<void> {
  const hasGarden = existsSync(gardenFolder(env))
  if (hasGarden && (name === 'empty' || name === 'demo')) throw new NotEmpty('There is a garden already.')
  const database = openDatabase(env.DATABASE_URL, { name: 'garden-bloom-seed', connections: 1 })
  try {
    if (await isUsed(database)) throw new NotEmpty('Somebody has worked with this ledger already.')
  } finally {
    await database.close()
  }
  if (hasGarden && !(await isDemoGarden(env))) throw new NotEmpty('The garden here is not the demo garden.')
}

async function isDemoGarden(env: Env): Promise<boolean> {
  const garden = await openGitRepository(gardenFolder(env))
  const paths = new Set((await garden.list()).map((entry) => entry.path))
  return [...DEMO_AGENTS.map(agentFile), DEMO_NOTE].every((path) => paths.has(path))
}

/** Scenarios are of the demo garden, whatever folder the instance would start from. */
const withoutFolder = ({ GARDEN_DIR: _, ...env }: Env): Env => env

const openDemoGarden = async (env: Env) =>
  openFirstGarden(withoutFolder(env), demoGardenFolder(), await demoAgentFiles())

async function openEmptyGarden(env: Env) {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-empty-'))
  try {
    return await openFirstGarden(withoutFolder(env), folder, [])
  } finally {
    await rm(folder, { recursive: true })
  }
}
