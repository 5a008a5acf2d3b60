import fs from 'node:fs'
import { expect, test } from 'vitest'
import { canonicalIdOf } from '../identity.ts'
import { writeSyncState } from '../ledger/sync-state.ts'
import { titlesOf } from '../testing/memory-file.ts'
import { KEYS, leaseOf, openPullRoom, type PullRoom } from '../testing/pull-room.ts'

/** Everything below the store, to see that nothing was written. */
const objectsIn = ({ node }: PullRoom): string[] =>
  fs
    .readdirSync(node.path('store'), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('.store') && fs.statSync(node.path('store', name)).isFile())
    .map((name) => `${name} ${fs.readFileSync(node.path('store', name)).toString('base64').slice(0, 4_000)}`)
    .sort()

const PRIMARY =
  /^PRIMARY: refusing destructive pull overwrite of local DB\.\n {2}local: {2}[0-9a-f]{64} \(3 observations\)\n {2}remote: [0-9a-f]{64} \(9 observations\)\n(?: {2}To .*\n){3}$/
const UNKNOWN = /^ERROR: the role of this node is not known \(.+\), and nothing was changed: /

type Case = { lease: object | string | null; env?: Record<string, string>; code: number; message?: RegExp }
const EXPIRED = { lease_seconds: 60 }
const CASES: Record<string, Case> = {
  'the lease of another': { lease: leaseOf('there'), code: 0 },
  'its own lease': { lease: leaseOf('here'), code: 2, message: PRIMARY },
  'its own lease, without a term': { lease: leaseOf('here', { term: undefined }), code: 2, message: PRIMARY },
  'its own lease, expired': { lease: leaseOf('here', EXPIRED), code: 2, message: PRIMARY },
  'the expired lease of another': { lease: leaseOf('there', EXPIRED), code: 0 },
  'an expired lease that waits for a selection, and this node configured': {
    lease: leaseOf('there', { ...EXPIRED, needs_ui_selection: true }),
    env: { PRIMARY_NODE_ID: 'here' },
    code: 2,
    message: PRIMARY,
  },
  'no lease': { lease: null, code: 2, message: PRIMARY },
  'no lease, and another configured': { lease: null, env: { PRIMARY_NODE_ID: 'there' }, code: 0 },
  'a lease of a term below the known one': { lease: leaseOf('here', { term: 0 }), code: 1, message: UNKNOWN },
  'a lease that is cut off': { lease: '{"primary_node_id": "he', code: 1, message: UNKNOWN },
  'a lease that is an array': { lease: [], code: 1, message: UNKNOWN },
  'a lease of epoch "3"': { lease: leaseOf('there', { epoch: '3' }), code: 1, message: UNKNOWN },
  'a lease of epoch "3", without leadership': {
    lease: leaseOf('there', { epoch: '3' }),
    env: { LEADERSHIP_ENABLED: '0' },
    code: 0,
  },
}

test.each(Object.entries(CASES))('with %s', async (_, { lease, env = {}, code, message = /^$/ }) => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  await room.store.remove(KEYS.lease)
  if (lease !== null) await room.put(KEYS.lease, lease)
  if (
    lease &&
    !Array.isArray(lease) &&
    typeof lease === 'object' &&
    'lease_seconds' in lease &&
    lease.lease_seconds === 60
  )
    fs.utimesSync(room.node.path('store', KEYS.lease), new Date(0), new Date(0))
  const before = objectsIn(room)
  const { exitCode, stderr } = await room.pullWith({ env })
  expect([exitCode, stderr]).toEqual([code, expect.stringMatching(message)])
  expect(titlesOf(room.database)).toHaveLength(code === 0 ? 9 : 3)
  if (!env.LEADERSHIP_ENABLED) expect(objectsIn(room)).toEqual(before)
  expect(fs.existsSync(room.node.path('.claude-mem/backups'))).toBe(code === 0)
})

test('the primary pulls where it has no database, and is refused at once when it has', async () => {
  const room = await openPullRoom(null)
  await room.push({ rows: 9 })
  await room.put(KEYS.lease, leaseOf('here'))
  expect((await room.pull()).exitCode).toBe(0)
  expect((await room.pull()).stdout).toMatch(/^RESULT: already up to date\n/)
  await room.push({ rows: 12 })
  expect((await room.pull(['--accept-local-loss'])).exitCode).toBe(2)
  expect(titlesOf(room.database)).toHaveLength(9)
})

test('an override lets the primary pull, is told and leaves an audit object', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  await room.put(KEYS.lease, leaseOf('here'))
  const env = { ALLOW_PRIMARY_PULL_OVERRIDE: '1' }
  const refused = await room.pullWith({ env: { ...env, MEMBRIDGE_REQUIRE_GRANT: '1' } })
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/needs a grant/)])
  const { exitCode, said } = await room.pullWith({ env })
  expect([exitCode, said]).toEqual([0, ['OVERRIDE: ALLOW_PRIMARY_PULL_OVERRIDE=1 is active']])
  const { keys } = await room.store.list(KEYS.audits)
  const [audit] = await Promise.all(keys.map((key) => room.store.get(key)))
  expect(JSON.parse(new TextDecoder().decode(audit?.bytes))).toMatchObject({
    event: 'override_used',
    reason: 'ALLOW_PRIMARY_PULL_OVERRIDE',
    actor: 'here',
  })
  expect(titlesOf(room.database)).toHaveLength(9)
})

test('a primary that was configured otherwise is told so', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 })
  const { said } = await room.pullWith({ env: { PRIMARY_NODE_ID: 'elsewhere' } })
  expect(said).toEqual(['WARNING: PRIMARY_NODE_ID names another node than the lease, which has there'])
})

test('a term that this node has seen is not forgotten by a pull of an older pointer', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { sha256 } = await room.push({ rows: 9 })
  const cid = canonicalIdOf('mem')
  const state = {
    last_synced_sha: 'a'.repeat(64),
    content_sha256: 'b'.repeat(64),
    at: 1,
    term: 7,
    epoch: 9,
    holder: 'there',
  }
  await writeSyncState(room.node.host, cid, state)
  await room.put(KEYS.lease, leaseOf('there', { term: 7, epoch: 9 }))
  expect((await room.pull()).exitCode).toBe(0)
  const kept = JSON.parse(fs.readFileSync(room.node.path('.membridge/state', `${cid}.json`), 'utf8'))
  expect(kept).toMatchObject({ last_synced_sha: sha256, term: 7, epoch: 9, holder: 'there' })
})
