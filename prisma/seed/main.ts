/**
 * The first garden, made once: the folder of GARDEN_DIR or the demo garden becomes a bare repository of its own, with the
 * three demo agents added to its first commit, and the ledger learns the agents and the owner. Every step finds what an
 * interrupted run has done already, so repeating it is safe.
 *
 * The ledger may still be in the making: its address comes on standard input once it is there, and the garden needs none.
 */
import { text } from 'node:stream/consumers'
import { leftOutLines } from '#domain/garden/left-out.rules.ts'
import { makeFirstGarden } from '#server/composition/make-first-garden.ts'
import { loadEnv } from '#server/env.ts'
import { demoAgentFiles, demoGardenFolder } from './demo-garden.ts'
import { registerGarden } from './first-garden.ts'

const address = text(process.stdin)
const made = await makeFirstGarden(loadEnv(), demoGardenFolder(), await demoAgentFiles())
const env = loadEnv({ ...process.env, DATABASE_URL: (await address).trim() })
const { services, report, agents } = await registerGarden(env, made)
await services.close()

if (report.created) process.stdout.write(`The garden has ${report.files} files.\n`)
for (const line of leftOutLines(report.leftOut)) process.stdout.write(`${line}\n`)
if (agents.created.length > 0) process.stdout.write(`Agents: ${agents.created.join(', ')}\n`)
