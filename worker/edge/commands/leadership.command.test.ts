import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { CID, KEYS, makeFolderStore, makeSyncNode, objectJson, putText } from '../testing/sync-kit.ts'

test.each(['leadership', 'leadership_info'])('%s writes the first lease and shows it', async (name) => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', null)
  const { exitCode, stdout } = await node.run([name])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(
    /^ {2}role: +primary\n {2}node_id: +a\n {2}primary: +a\n {2}lease: +valid, 3[56]\d\ds left\n/,
  )
  expect(stdout).toContain('needs_ui_selection')
  expect(stdout).toMatch(/ {2}lock: +FREE\n$/)
  expect(await objectJson(store, KEYS.lease)).toMatchObject({ primary_node_id: 'a', epoch: 1, term: 1 })
  expect((await store.list(KEYS.audits)).keys).toHaveLength(1)
})

test('a second look writes nothing, and another node is secondary', async () => {
  const { store, settings } = await makeFolderStore()
  const a = makeSyncNode(settings, 'a', null)
  await a.run(['leadership'])
  const { etag } = (await store.get(KEYS.lease)) ?? {}
  await a.run(['leadership'])
  const { stdout } = await makeSyncNode(settings, 'b', null).run(['leadership', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ role: 'secondary', node_id: 'b', primary_node_id: 'a', canonical_id: CID, lease_state: 'valid' },
    ...{ epoch: 1, term: 1, contradiction: null, lock: { state: 'free', node_id: null, age_seconds: null } },
  })
  expect((await store.get(KEYS.lease))?.etag).toBe(etag)
})

test('the primary renews a lease of which less than half remains', async () => {
  const { store, settings } = await makeFolderStore()
  const a = makeSyncNode(settings, 'a', null)
  await a.run(['leadership'], { env: { LEADERSHIP_LEASE_SECONDS: '60' } })
  const file = fileURLToPath(`${settings.MINIO_ENDPOINT}/${KEYS.lease}`)
  const age = (seconds: number) => fs.utimesSync(file, new Date(), new Date(Date.now() - seconds * 1000))
  age(20)
  expect((await a.run(['leadership'])).stdout).toMatch(/lease: +valid, (?:40|3\d)s left\n {2}epoch: +1\n/)
  age(40)
  expect((await a.run(['leadership'])).stdout).toMatch(/lease: +valid, (?:60|5\d)s left\n {2}epoch: +2\n/)
  expect(await objectJson(store, KEYS.lease)).toMatchObject({ epoch: 2, term: 1, lease_seconds: 60 })
})

test('PRIMARY_NODE_ID that contradicts the lease is a warning, and the lease counts', async () => {
  const { settings } = await makeFolderStore()
  await makeSyncNode(settings, 'a', null).run(['leadership'])
  const { exitCode, said, stdout } = await makeSyncNode(settings, 'b', null).run(['leadership'], {
    env: { PRIMARY_NODE_ID: 'b' },
  })
  expect(exitCode).toBe(0)
  expect(said).toMatch(/^WARNING: PRIMARY_NODE_ID names b, but the lease is of a, which counts: remove/)
  expect(stdout).toMatch(/^ {2}role: +secondary\n/)
})

test('with LEADERSHIP_ENABLED=0 it only reads', async () => {
  const { store, settings } = await makeFolderStore()
  const { exitCode, stdout } = await makeSyncNode(settings, 'a', null).run(['leadership'], {
    env: { LEADERSHIP_ENABLED: '0' },
  })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^ {2}role: +unchecked \(LEADERSHIP_ENABLED=0\)\n/)
  expect((await store.list('')).keys).toEqual([])
})

test('the holder of the lock is shown, its token and the nonces are not', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', null)
  await node.run(['leadership'])
  const lease = await objectJson(store, KEYS.lease)
  const lock = {
    hostname: 'h',
    node_id: 'b',
    timestamp: Date.now() / 1000,
    owner_token: 'canary-token',
    ttl_seconds: 7200,
  }
  await putText(store, KEYS.lock, JSON.stringify(lock))
  const text = await node.run(['leadership'])
  const json = await node.run(['leadership', '--json'])
  expect(text.stdout).toMatch(/ {2}lock: +ACTIVE — held by b for \ds\n$/)
  for (const secret of ['canary-token', lease.nonce, lease.term_nonce])
    expect(text.stdout + text.said + json.stdout + json.said).not.toContain(secret)
})
