import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NOTHING_KNOWN } from '#domain/leadership/known-terms.rules.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import { resolveRole } from '#domain/leadership/lease-protocol.ts'
import { type Protocol, perform } from '#domain/leadership/protocol-effects.ts'
import { selectPrimary } from '#domain/leadership/selection-protocol.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { ObjectConflict, StorageUnavailable } from '#server/ports/object-store.ts'
import { writeAuditObject } from './audit-object.ts'
import { MACHINE_CLOCK, type ProtocolParts, runProtocol } from './run-protocol.ts'

const CID = 'aeeafec3a5b5710f'
const keys = projectKeys(CID)
const NODE = { canonicalId: CID, primaryNodeId: null, leaseSeconds: 3600 }
const LOCK = { ttlSeconds: 7200, graceSeconds: 60 }

async function room(actor: string, more: Partial<ProtocolParts> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'leadership-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const store = await openDirectoryStore(folder)
  const warnings: string[] = []
  const parts: ProtocolParts = {
    store,
    canonicalId: CID,
    actor,
    warn: (line) => warnings.push(line),
    ...more,
  }
  const json = async (key: string) => JSON.parse(new TextDecoder().decode((await store.get(key))?.bytes))
  return { store, parts, warnings, json }
}

const roleOf = (nodeId: string) => resolveRole({ ...NODE, nodeId }, NOTHING_KNOWN)
const select = (nodeId: string, expectedEpoch: number | null = null) =>
  selectPrimary(
    {
      ...{ canonicalId: CID, primaryNodeId: nodeId, leaseSeconds: 3600, issuedBy: 'control-plane' },
      ...{ expectedEpoch, force: false, reason: 'the old one sleeps' },
    },
    LOCK,
    NOTHING_KNOWN,
  )

test('of nodes that ask at once one becomes primary, and every other is told of it', async () => {
  const { parts, store, json } = await room('a')
  const nodes = ['a', 'b', 'c', 'd', 'e']
  const standings = await Promise.all(nodes.map((id) => runProtocol(roleOf(id), { ...parts, actor: id })))
  expect(standings.map((one) => one?.role).toSorted()).toEqual(['primary', ...Array(4).fill('secondary')])
  const { primary_node_id } = await json(keys.lease)
  expect(new Set(standings.map((one) => one && 'holder' in one && one.holder))).toEqual(
    new Set([primary_node_id]),
  )
  expect((await store.list(keys.audits)).keys).toHaveLength(1)
})

test('a selection raises term and fence and leaves one audit object, also when it is recorded again', async () => {
  const { parts, store, json } = await room('control-plane')
  await runProtocol(roleOf('a'), parts)
  expect(await runProtocol(select('b'), parts)).toMatchObject({ outcome: 'selected', fenced: true })
  expect(await json(keys.pointer)).toMatchObject({ term: 2, sha256: null })
  const lease = await json(keys.lease)
  expect(lease).toMatchObject({ primary_node_id: 'b', epoch: 2, term: 2 })
  await runProtocol(recordAgain(lease), parts)
  const { keys: audits } = await store.list(keys.audits)
  expect(audits).toHaveLength(2)
  expect(await json(audits.find((key) => key.includes('-b')) ?? '')).toMatchObject({
    ...{ event: 'select', actor: 'control-plane', reason: 'the old one sleeps', epoch: 2, term: 2 },
  })
})

test('an audit object whose names are all taken by something else is not passed over', async () => {
  const { parts, store, json } = await room('control-plane')
  await runProtocol(roleOf('a'), parts)
  const [audit = ''] = (await store.list(keys.audits)).keys
  const entry = {
    canonicalId: CID,
    event: 'select' as const,
    lease: await json(keys.lease),
    reason: null,
    actor: 'x',
  }
  for (const event of ['select', 'take_over'] as const) await writeAuditObject(store, { ...entry, event })
  expect((await store.list(keys.audits)).keys).toHaveLength(3)
  const [, , last = ''] = (await store.list(keys.audits)).keys.toSorted((a, b) => a.length - b.length)
  expect(last).toMatch(new RegExp(`^${audit.replace(/\.json$/, '')}-\\d+-[0-9a-f]{8}\\.json$`))
  const create = () => Promise.reject(new ObjectConflict('x'))
  const taken = { observe: store.observe.bind(store), get: async () => null, create }
  await expect(writeAuditObject(taken, entry)).rejects.toThrow('every name of the audit object of select is')
})

function* recordAgain(lease: Lease): Protocol<void> {
  yield* perform({ effect: 'audit', event: 'select', lease, reason: null })
}

test('of two selections upon one epoch one wins, and the other is told by whom', async () => {
  const { parts } = await room('control-plane')
  await runProtocol(roleOf('a'), parts)
  const ends = await Promise.all(['b', 'c'].map((id) => runProtocol(select(id, 1), parts)))
  expect(ends.map((end) => end?.outcome).toSorted()).toEqual(['refused', 'selected'])
  const winner = ends.find((end) => end?.outcome === 'selected')
  expect(ends.find((end) => end?.outcome === 'refused')).toMatchObject({
    code: 'EPOCH_STALE',
    winner: { primary_node_id: winner?.outcome === 'selected' && winner.lease.primary_node_id },
  })
})

test('a store that does not answer makes nobody primary', async () => {
  const { parts, store } = await room('a')
  const silent = { ...store, observe: () => Promise.reject(new StorageUnavailable('no answer')) }
  expect(
    await runProtocol(roleOf('a'), { ...parts, store: { ...silent, get: store.get, create: store.create } }),
  ).toEqual({
    role: 'unknown',
    reason: 'manifest.json: no answer',
  })
})

test('a protocol that is asked to stop performs what it owes and ends with null', async () => {
  const stopping = new AbortController()
  const { parts } = await room('a', { stopped: stopping.signal })
  const done: string[] = []
  function* owing(): Protocol<string> {
    try {
      yield* perform({ effect: 'nonce' })
      stopping.abort()
      yield* perform({ effect: 'wait', seconds: 3600 })
      return 'unreachable'
    } finally {
      yield* perform({ effect: 'wait', seconds: 0.001 })
      done.push('let go')
    }
  }
  expect(await runProtocol(owing(), parts)).toBeNull()
  expect(done).toEqual(['let go'])
})

test('an audit object that cannot be written is told of and stops nothing', async () => {
  const { parts, warnings } = await room('a')
  const audit = () => Promise.reject(new StorageUnavailable('full'))
  expect(await runProtocol(roleOf('a'), { ...parts, audit })).toMatchObject({ role: 'primary' })
  expect(warnings).toEqual(['the audit object of bootstrap could not be written: full'])
})

test('the machine clock goes on by seconds', async () => {
  const before = MACHINE_CLOCK.monotonic()
  await MACHINE_CLOCK.pause(0.03)
  expect(MACHINE_CLOCK.monotonic() - before).toBeGreaterThanOrEqual(0.02)
})
