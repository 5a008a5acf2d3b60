/** Who may read and change the settings of BLOOM Runtime, and command the agents of its workers. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ledgerDigest } from './testing/gateway.ts'
import { R } from './testing/runtime-wire.ts'
import { KEY, openSettingsWire, type SettingsWire } from './testing/settings-wire.ts'

let wire: SettingsWire
beforeAll(async () => {
  wire = await openSettingsWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.reset())

describe('who may call', () => {
  const id = randomUUID()
  const ROUTES: [at: string, open: string][] = [
    [`GET ${R}/config`, 'owner operator'],
    [`POST ${R}/config`, 'owner +su'],
    [`POST ${R}/test-connection`, 'owner operator machine'],
    [`GET ${R}/workers/${id}/agent-health`, 'owner operator machine'],
    [`POST ${R}/workers/${id}/agent-restart`, 'owner +su'],
    [`POST ${R}/workers/${id}/agent-update`, 'owner +su'],
    [`POST ${R}/workers/${id}/agent-uninstall`, 'owner +su'],
    [`GET ${R}/agent-install-script`, 'owner operator machine'],
  ]
  test.each(ROUTES)('%s: %s', async (at, open) => {
    const body = at.startsWith('POST') ? { membridge_server_url: wire.plane.url, reason: 'r' } : undefined
    await wire.configure(wire.plane.url, KEY)
    const { owner, operator, guest, machine, fresh } = wire.as
    const kinds = { owner, operator, guest, machine, nobody: { 'content-type': 'application/json' } }
    const before = await ledgerDigest(wire.whole.services)
    for (const [kind, headers] of Object.entries(kinds)) {
      if (open.split(' ').includes(kind)) continue
      const refused = await wire.call(at, body, headers)
      // A key means nothing where only people are let in.
      const isUnknown = kind === 'nobody' || kind === 'machine'
      const hidden = kind === 'guest' && at.startsWith('GET')
      expect([kind, refused.status]).toEqual([kind, isUnknown ? 401 : hidden ? 404 : 403])
    }
    if (open.includes('+su')) {
      const refused = await wire.call(at, body, fresh)
      expect([refused.status, refused.code]).toEqual([403, 'STEP_UP_REQUIRED'])
    }
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
    for (const kind of ['owner', 'operator', 'machine'] as const)
      if (open.split(' ').includes(kind))
        expect([401, 403].includes((await wire.call(at, body, kinds[kind])).status)).toBe(false)
  })
})
