import fs from 'node:fs'
import { expect, test } from 'vitest'
import { loadSettings } from '../config/settings.ts'
import { startChild } from '../testing/child.ts'
import { addRows, KEYS, makeFolderStore, makeSyncNode, objectJson } from '../testing/sync-kit.ts'
import { withOneSync } from './one-sync.ts'
import { activeOverrides } from './overrides.ts'
import { refuseUnfitStore } from './store-fitness.ts'

test('one sync at a time for a file, also under another name, and the lock of a killed one is removed', async () => {
  const { settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  fs.symlinkSync(node.database, node.path('link.db'))
  const holder = await startChild('hold-sync.ts', [node.host.home, node.database])
  const attempt = (file: string) => withOneSync(node.host, file, async () => 'done')
  await expect(attempt(node.path('link.db'))).rejects.toThrow(/another push or pull of .*link\.db is running/)
  expect(await attempt(node.path('other.db'))).toBe('done')
  await holder.kill()
  expect(await attempt(node.path('link.db'))).toBe('done')
  expect(fs.readdirSync(node.path('.membridge/locks'))).toEqual(['staging'])
  expect(fs.readdirSync(node.path('.membridge/locks/staging'))).toEqual([])
})

test('what the work throws comes through, and frees the lock', async () => {
  const { settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  const broken = withOneSync(node.host, node.database, () => Promise.reject(new Error('broken')))
  await expect(broken).rejects.toThrow('broken')
  expect(await withOneSync(node.host, node.database, async () => 1)).toBe(1)
})

test('each override belongs to the command that it changes', () => {
  const env = {
    FORCE_PUSH: '1',
    ALLOW_SECONDARY_PUSH: '1',
    ALLOW_PRIMARY_PULL_OVERRIDE: '1',
    LEADERSHIP_ENABLED: '0',
  }
  const { values } = loadSettings({ env, home: '/nowhere', cwd: '/', name: 'n', uid: 0, machine: 'x' })
  expect(activeOverrides(values, 'push')).toEqual([
    'FORCE_PUSH',
    'ALLOW_SECONDARY_PUSH',
    'LEADERSHIP_DISABLED',
  ])
  expect(activeOverrides(values, 'pull')).toEqual(['ALLOW_PRIMARY_PULL_OVERRIDE', 'LEADERSHIP_DISABLED'])
})

test('overrides are printed, and each leaves an audit object, also all in one moment', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  const env = { FORCE_PUSH: '1', ALLOW_SECONDARY_PUSH: '1', LEADERSHIP_ENABLED: '0' }
  const { exitCode, said } = await node.run(['push'], { env })
  expect(exitCode).toBe(0)
  for (const setting of ['FORCE_PUSH=1', 'ALLOW_SECONDARY_PUSH=1', 'LEADERSHIP_ENABLED=0'])
    expect(said).toContain(`OVERRIDE: ${setting} is active\n`)
  const { keys } = await store.list(KEYS.audits)
  const audits = await Promise.all(keys.map((key) => objectJson(store, key)))
  expect(audits.map(({ event, actor, reason }) => `${event} ${actor} ${reason}`).toSorted()).toEqual([
    'override_used a ALLOW_SECONDARY_PUSH',
    'override_used a FORCE_PUSH',
    'override_used a LEADERSHIP_DISABLED',
  ])
  // Without leadership no lease is asked for and none is made.
  expect(await store.get(KEYS.lease)).toBeNull()
})

test('where overrides need a grant, they are refused before anything is written', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  const env = { FORCE_PUSH: '1', MEMBRIDGE_REQUIRE_GRANT: '1' }
  const { exitCode, stderr } = await node.run(['push'], { env })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/^ERROR: FORCE_PUSH=1 needs a grant/)
  expect((await store.list('')).keys).toEqual([])
  addRows(node.database)
  expect((await node.run(['push'], { env: { MEMBRIDGE_REQUIRE_GRANT: '1' } })).exitCode).toBe(0)
})

test.each([
  [
    { ok: false },
    /^The object store does not keep conditional writes: a check\. Nothing was written\. Set MINIO_ENDPOINT/,
  ],
  [
    { ok: false, undecided: 'no answer' as const },
    /^The object store did not answer the check .*: a check\..*membridge doctor/,
  ],
])('a store of which a check ends with %j is refused', async (found, line) => {
  const probe = async () => ({ ok: false, store: 'x', checks: [{ name: 'a check', ...found }] })
  await expect(refuseUnfitStore({ probe })).rejects.toThrow(line)
})
