/** The wire of projects, agents, heartbeats and leadership, as clients speak it that share nothing with the server. */

import { expect, test } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { LEADERSHIP_CASES } from './testing/leadership-cases.ts'
import { REGISTRY_CASES } from './testing/registry-cases.ts'
import { replayCases } from './testing/replay-cases.ts'
import { isInstalled, WIRE_CLIENTS } from './testing/wire-clients.ts'

test.for(WIRE_CLIENTS)('$tool gets every status, field and byte of the registry', async (client, context) => {
  if (!isInstalled(client.tool)) lacking(context, client.tool)
  const { got, wanted } = await replayCases(client, REGISTRY_CASES)
  expect(got).toEqual(wanted)
})

test.for(WIRE_CLIENTS)('$tool gets every status, field and byte of leadership', async (client, context) => {
  if (!isInstalled(client.tool)) lacking(context, client.tool)
  const { got, wanted } = await replayCases(client, LEADERSHIP_CASES)
  expect(got).toEqual(wanted)
})
