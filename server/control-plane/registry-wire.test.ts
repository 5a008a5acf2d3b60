/** The wire of projects, agents and heartbeats, as clients speak it that share nothing with the server. */
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { runControlPlane } from './testing/control-plane-process.ts'
import { REGISTRY_CASES } from './testing/registry-cases.ts'
import { sendCases } from './testing/wire-cases.ts'
import { isInstalled, WIRE_CLIENTS } from './testing/wire-clients.ts'

async function freshInstance(): Promise<string> {
  const database = await createTestDatabase()
  const plane = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl })
  onTestFinished(async () => {
    await plane.stop()
    await database.drop()
  })
  return plane.url
}

test.for(WIRE_CLIENTS)('$tool gets every status, field and byte', async (client, context) => {
  if (!isInstalled(client.tool)) context.skip(`${client.tool} is not installed here`)
  const { got, wanted } = sendCases(client, await freshInstance(), REGISTRY_CASES)
  expect(got).toEqual(wanted)
})
