import fs from 'node:fs'
import { expect, test } from 'vitest'
import { sha256Hex } from '#server/ports/object-store.ts'
import { change, titlesOf } from '../testing/memory-file.ts'
import { KEYS, openPullRoom, type PullRoom, type Pushed } from '../testing/pull-room.ts'
import { tableDigests } from '../testing/table-digests.ts'

const bytesOf = ({ file }: Pushed) => fs.readFileSync(file)
/** The same length, another byte in the middle. */
function flipped(pushed: Pushed): Uint8Array {
  const bytes = bytesOf(pushed)
  bytes[5000] = (bytes[5000] ?? 0) ^ 1
  return bytes
}
const untouched = ({ node, database }: PullRoom) => {
  expect(titlesOf(database)).toHaveLength(3)
  expect(fs.readdirSync(node.path('memory')).filter((name) => name.startsWith('.'))).toEqual([])
  expect(fs.existsSync(node.path('.claude-mem/backups'))).toBe(false)
}

type Broken = [
  what: string,
  breakIt: (room: PullRoom, pushed: Pushed) => unknown,
  message: RegExp,
  pauses: number,
]
const BROKEN: Broken[] = [
  [
    'is corrupt',
    (room, pushed) => room.put(KEYS.snapshot(pushed.sha256), flipped(pushed)),
    /db\/[0-9a-f]{64}\.db does not have the digest it should: push again from the primary$/,
    3,
  ],
  [
    'is cut off',
    (room, pushed) => room.put(KEYS.snapshot(pushed.sha256), bytesOf(pushed).subarray(0, 9_000)),
    /has 9000 bytes instead of the \d+ of its manifest/,
    3,
  ],
  [
    'is cut off, under a manifest that does not say how long it was',
    async (room, pushed) => {
      await room.put(KEYS.snapshot(pushed.sha256), bytesOf(pushed).subarray(0, 9_000))
      await room.put(KEYS.pointer, { ...pushed.manifest, db_size: undefined })
    },
    /does not have the digest it should/,
    3,
  ],
  [
    'is missing',
    (room, pushed) => room.store.remove(KEYS.snapshot(pushed.sha256)),
    /not in the store: neither .*db\/[0-9a-f]{64}\.db nor .*sqlite\/claude-mem\.db is there; push again/,
    0,
  ],
  [
    'has another number of prompts than its manifest says',
    (room, { manifest }) => room.put(KEYS.pointer, { ...manifest, user_prompts: 3 }),
    /has 2 user_prompts instead of the 3 of its manifest/,
    0,
  ],
  [
    'has another number of tables',
    (room, { manifest }) => room.put(KEYS.pointer, { ...manifest, tables: 1 }),
    /has \d+ tables instead of the 1 of its manifest/,
    0,
  ],
  [
    'has another content digest',
    (room, { manifest }) => room.put(KEYS.pointer, { ...manifest, content_sha256: 'c'.repeat(64) }),
    /does not have the content digest of its manifest/,
    0,
  ],
  [
    'has a manifest that is cut off',
    (room) => room.put(KEYS.pointer, '{"sha256": "a'),
    /manifest\.json is not understood \(the whole\): push/,
    0,
  ],
  [
    'has a manifest that is an array',
    (room) => room.put(KEYS.pointer, []),
    /is not understood \(the whole\)/,
    0,
  ],
  [
    'has a manifest whose digest is a path',
    (room, { manifest }) => room.put(KEYS.pointer, { ...manifest, sha256: '../../x' }),
    /is not understood \(sha256\)/,
    0,
  ],
  [
    'has a manifest with a count in words',
    (room, { manifest }) => room.put(KEYS.pointer, { ...manifest, observations: 'nine' }),
    /is not understood \(observations\)/,
    0,
  ],
]

test.each(BROKEN)('a remote copy that %s changes nothing here', async (_, breakIt, message, pauses) => {
  const room = await openPullRoom({ rows: 3 })
  await breakIt(room, await room.push({ rows: 9 }))
  let paused = 0
  const { exitCode, stderr, said } = await room.pullWith({ onPause: () => void paused++ })
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^ERROR: [^\n]*\n$/)])
  expect(stderr.trim()).toMatch(message)
  expect(paused).toBe(pauses)
  expect(said).toHaveLength(pauses)
  untouched(room)
})

test('bytes that are no database are refused though their digest fits', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { manifest } = await room.push({ rows: 9 })
  const bytes = Buffer.from('no database '.repeat(999))
  const sha256 = sha256Hex(bytes)
  await room.put(KEYS.snapshot(sha256), bytes)
  await room.put(KEYS.pointer, { ...manifest, sha256, db_size: bytes.length })
  const { exitCode, stderr } = await room.pull()
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^ERROR: the remote copy \w+ is unusable \(it is not an SQLite/),
  ])
  untouched(room)
})

test('a push that ends while bytes and pointer do not fit is found by the next look', async () => {
  const room = await openPullRoom({ rows: 3 })
  const torn = await room.push({ rows: 9 }, { old: true })
  await room.put(KEYS.mirror, flipped(torn))
  let next: Pushed | null = null
  const finishPush = async () => {
    next = await room.push({ rows: 12 }, { old: true })
  }
  const { exitCode, said } = await room.pullWith({ onPause: finishPush })
  expect([exitCode, said]).toEqual([
    0,
    [expect.stringMatching(/does not have the digest.*; trying again in 2 s$/)],
  ])
  expect(tableDigests(room.database)).toEqual(tableDigests((next as Pushed | null)?.file ?? ''))
})

test('the copy of a node of today: no snapshot under its digest, no term', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { file, sha256 } = await room.push({ rows: 9 }, { old: true, manifest: { tables: 99 } })
  const { exitCode, stdout } = await room.pull(['--json'])
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ result: 'pulled', sha256, term: 0 }),
  ])
  expect(tableDigests(room.database)).toEqual(tableDigests(file))
  expect((await room.pull()).stdout).toMatch(/^RESULT: already up to date\n/)
  await room.store.remove(KEYS.mirror)
  expect((await room.pull()).stdout).toMatch(/^RESULT: already up to date\n/)
})

test('the copy of a node of today that was never vacuumed', async () => {
  const room = await openPullRoom({ rows: 3 })
  const { file } = await room.push({ rows: 3 }, { old: true })
  const raw = room.node.path('raw.db')
  fs.copyFileSync(file, raw)
  change(
    raw,
    "PRAGMA journal_mode = WAL; DELETE FROM observations WHERE id = 2; INSERT INTO user_prompts (prompt_text) VALUES ('p3')",
  )
  const bytes = fs.readFileSync(raw)
  const sha256 = sha256Hex(bytes)
  await room.put(KEYS.mirror, bytes)
  await room.put(KEYS.mirrorSha, `${sha256}  claude-mem.db\n`)
  await room.put(KEYS.pointer, { project: 'mem', sha256, observations: 2 })
  expect((await room.pull(['--accept-local-loss'])).exitCode).toBe(0)
  expect(tableDigests(room.database)).toEqual(tableDigests(raw))
  expect((await room.pull()).stdout).toMatch(/^RESULT: already up to date\n/)
})

test('the mirror of another copy than the pointer names is not taken', async () => {
  const room = await openPullRoom({ rows: 3 })
  await room.push({ rows: 9 }, { old: true })
  const { sha256 } = await room.push({ rows: 12 })
  await room.store.remove(KEYS.snapshot(sha256))
  const { exitCode, stderr } = await room.pullWith({})
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/which is not in the store, and .* holds [0-9a-f]{64}: push/),
  ])
  untouched(room)
})

test.each(['remote', 'local'])(
  'a %s database above the limit is refused before it is copied',
  async (which) => {
    const room = await openPullRoom({ rows: which === 'local' ? 900 : 3 })
    await room.push({ rows: which === 'local' ? 3 : 900 })
    const { exitCode, stderr } = await room.pull([], { MEMBRIDGE_MAX_DB_BYTES: '200000' })
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        / has \d+ bytes, more than MEMBRIDGE_MAX_DB_BYTES \(200000\): raise that limit to sync it\n$/,
      ),
    ])
    expect(titlesOf(room.database)).toHaveLength(which === 'local' ? 900 : 3)
  },
)

test('a store that is not there, or does not answer, changes nothing', async () => {
  const room = await openPullRoom({ rows: 3 })
  const gone = await room.pull([], { MINIO_ENDPOINT: `file://${room.node.path('unmounted')}` })
  expect([gone.exitCode, gone.stderr]).toEqual([
    1,
    expect.stringMatching(/is not a folder: mount or make it/),
  ])
  const S3 = { MINIO_ACCESS_KEY: 'k', MINIO_SECRET_KEY: 'canary', MINIO_BUCKET: 'b' }
  const silent = await room.pull([], { ...S3, MINIO_ENDPOINT: 'http://127.0.0.1:1' })
  expect([silent.exitCode, silent.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^ERROR: .*; nothing was changed: check MINIO_ENDPOINT and the network, and run membridge pull again\n$/,
    ),
  ])
  expect(silent.stderr).not.toContain('canary')
  untouched(room)
})
