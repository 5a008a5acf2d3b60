/**
 * Copies of the whole product: `npm run chaos:copies`, some minutes, no assertions of time; with `STORE=s3`, on a real S3 server.
 *
 * 1. A backup is made while proposals, decisions and jobs go on; restored elsewhere and started, its ledger, garden and audit agree.
 * 2. A backup at rest, restored, is compared row by row, object by object, reference by reference.
 * 3. `cp -a` of the stopped home (its bucket is copied object by object) is started beside the original; both work, and neither knows the
 *    other's tokens.
 * 4. A damaged file is refused. Restores are killed again and again; no start takes what they leave, and the next one succeeds.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensureBucket } from '#server/adapters/object-store/s3.ts'
import { keysBelow } from '#server/copies/copy-objects.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Client, signedIn } from '../fixtures/bearer.ts'
import { chosenStore } from '../fixtures/chosen-store.ts'
import { comparisonOf } from '../fixtures/compare-homes.ts'
import { freePort } from '../fixtures/free-port.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { type Product, startProduct } from '../fixtures/product.ts'
import { reportOf } from '../fixtures/report.ts'

const PASSWORD = 'a long enough phrase 42'
const KILLS = Number(process.argv[2] ?? 5)
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-copies-'))
const at = (name: string) => path.join(base, name)
const report = reportOf('chaos:copies')
const verdict = report.check
const stores = await chosenStore()
const compare = comparisonOf(stores, verdict)

const start = (home: string) =>
  startProduct({
    home,
    env: {
      BLOOM_OWNER_PASSWORD: PASSWORD,
      APPLY_HOLD_SECONDS: '0',
      RATE_SIGN_INS: '1000',
      ...stores.env(home),
    },
  })

type Ended = { code: number | null; output: string }

/** Runs a command of the product; `killWhen` ends it and all that it started. */
async function run(
  program: 'backup' | 'restore-home' | 'start',
  home: string,
  args: string[],
  { killWhen, env = {} }: { killWhen?: (output: string) => boolean; env?: Record<string, string> } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [`server/launch/${program}.mjs`, ...args], {
    env: {
      ...process.env,
      ...stores.env(home),
      BLOOM_HOME: home,
      PORT: String(await freePort()),
      MEMBRIDGE_PORT: String(await freePort()),
      npm_lifecycle_event: '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      if (killWhen?.(output)) child.kill('SIGKILL')
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Proposals are made and approved and jobs are requested until `stop`. */
function load(client: Client) {
  let working = true
  let made = 0
  const done = (async () => {
    while (working) {
      made++
      const id = await client.propose(`Load/${made}.md`, `Note ${made}`)
      await client.approve(id)
      if (made % 5 === 0) await client.job(`question ${made}`)
    }
  })()
  return {
    made: () => made,
    stop: async () => {
      working = false
      await done
    },
  }
}

const counts = async (home: string) =>
  (await inLedger(home, `SELECT status, count(*)::int AS n FROM proposal GROUP BY 1 ORDER BY 1`)).rows

/** Starts a restored home and looks whether everything agrees. */
async function settleAndJudge(product: Product, what: string): Promise<void> {
  const client = await signedIn(product.url, PASSWORD)
  await waitUntil(
    async () =>
      (await inLedger(product.home, `SELECT 1 FROM proposal WHERE status IN ('APPROVED', 'APPLYING')`))
        .rowCount === 0,
    { what: 'the decisions to be applied', timeoutMs: 300_000 },
  )
  const { rows } = await inLedger(
    product.home,
    `SELECT git_commit, proposal_id FROM proposal WHERE status = 'APPLIED'`,
  )
  const log = execFileSync(
    'git',
    ['--git-dir', path.join(product.home, 'garden.git'), 'log', '--format=%H', 'main'],
    {
      encoding: 'utf8',
    },
  )
  const commits = new Set(log.split('\n'))
  verdict(
    `${what}: every applied proposal has its commit`,
    rows.every((row) => commits.has(row.git_commit)),
  )
  const others = [...commits].filter(Boolean).length - 1 - rows.length
  verdict(`${what}: no commit without its proposal`, others === 0, { others })
  const fsck = execFileSync(
    'git',
    ['--git-dir', path.join(product.home, 'garden.git'), 'fsck', '--strict', '--no-dangling'],
    { encoding: 'utf8' },
  )
  verdict(`${what}: git fsck`, fsck.trim() === '', fsck)
  const { rows: artifacts } = await inLedger(product.home, 'SELECT object_key FROM artifact')
  const store = await stores.open(product.home)
  const missing: string[] = []
  for (const row of artifacts) if (!(await store.head(row.object_key))) missing.push(row.object_key)
  verdict(`${what}: ${artifacts.length} artifacts are in the store`, missing.length === 0, missing)
  verdict(`${what}: the audit verifies`, await client.auditIsGood())
}

async function copyBucket(from: string, to: string): Promise<void> {
  const { MINIO_BUCKET: bucket = '', ...access } = stores.env(to)
  await ensureBucket({
    endpoint: access.MINIO_ENDPOINT ?? '',
    accessKey: access.MINIO_ACCESS_KEY ?? '',
    secretKey: access.MINIO_SECRET_KEY ?? '',
    bucket,
  })
  const [source, target] = [await stores.open(from), await stores.open(to)]
  for await (const key of keysBelow(source, ['']))
    await target.create(key, (await source.get(key))?.bytes ?? new Uint8Array())
}

const original = await start(at('a'))
const owner = await signedIn(original.url, PASSWORD)
const busy = load(owner)
await waitUntil(() => busy.made() > 20, { what: 'some load', timeoutMs: 300_000 })
const before = busy.made()
const first = await run('backup', at('a'), [at('busy.tar.gz')])
verdict('a backup under load', first.code === 0, first.output)
report.progress(`${busy.made() - before} proposals were made and approved meanwhile`)
await busy.stop()
await waitUntil(
  async () => (await counts(at('a'))).every(({ status }) => status === 'APPLIED' || status === 'PENDING'),
  { what: 'the original to settle', timeoutMs: 300_000 },
)

const restored = await run('restore-home', at('b'), [at('busy.tar.gz')])
verdict('a restore of it', restored.code === 0, restored.output)
const second = await start(at('b'))
await settleAndJudge(second, 'restored')
verdict('the old token does not count in the restored home', (await owner.statusAt(second.url)) === 401)
verdict('and goes on counting in the original', (await owner.statusAt(original.url)) === 200)
await second.stop()

await original.stop()
execFileSync('cp', ['-a', at('a'), at('d')])
if (stores.isS3) await copyBucket(at('a'), at('d'))
const rest = await run('backup', at('a'), [at('rest.tar.gz')])
verdict('a backup of a stopped home', rest.code === 0, rest.output)
const equal = await run('restore-home', at('c'), [at('rest.tar.gz')])
verdict('a restore of it', equal.code === 0, equal.output)
await compare(at('a'), at('c'))

const again = await start(at('a'))
const pid = fs.readFileSync(path.join(at('a'), 'postgres/postmaster.pid'), 'utf8')
const copy = await start(at('d'))
const copied = await signedIn(copy.url, PASSWORD)
verdict('the copy says that it is one', /This home is a copy of/.test(copy.output()), copy.output())
await copied.approve(await copied.propose('Copy/one.md', 'Only in the copy'))
await settleAndJudge(copy, 'copied')
verdict(
  'its original is undisturbed',
  fs.readFileSync(path.join(at('a'), 'postgres/postmaster.pid'), 'utf8') === pid,
)
verdict(
  'and did not hear of it',
  !fs.existsSync(path.join(at('a'), 'garden.git/Copy')) && (await owner.statusAt(again.url)) === 200,
)
verdict("the original's token does not count in the copy", (await owner.statusAt(copy.url)) === 401)
await copy.stop()
await settleAndJudge(again, 'original')
await again.stop()

if (stores.isS3) {
  const same = { ...stores.env(at('a')), BLOOM_HOME: at('f') }
  const shared = await run('restore-home', at('f'), [at('rest.tar.gz')], { env: same })
  verdict(
    'the bucket of another home is not restored into',
    shared.code === 1 && /is not empty/.test(shared.output),
    shared.output,
  )
  const text = execFileSync('sh', ['-c', 'zcat "$0" | strings', at('rest.tar.gz')], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  })
  const { MINIO_SECRET_KEY = '', MINIO_ACCESS_KEY = '' } = stores.env(at('a'))
  verdict(
    'the backup does not hold the keys of the bucket',
    ![MINIO_SECRET_KEY, MINIO_ACCESS_KEY].some((key) => text.includes(key)),
  )
}

const bytes = fs.readFileSync(at('rest.tar.gz'))
const middle = Math.floor(bytes.length / 2)
bytes[middle] = (bytes[middle] ?? 0) ^ 1
fs.writeFileSync(at('bad.tar.gz'), bytes)
const refused = await run('restore-home', at('e'), [at('bad.tar.gz')])
verdict('a damaged file is refused', refused.code === 1 && !fs.existsSync(at('e')), refused.output)
const occupied = await run('restore-home', at('c'), [at('rest.tar.gz')])
verdict(
  'a home that is there is not restored over',
  occupied.code === 1 && /is not empty/.test(occupied.output),
  occupied.output,
)

const MOMENTS = [/Verifying/, /entries as they were/, /Restoring/, /objects/, /rows of/]
for (let i = 0; i < KILLS; i++) {
  const moment = MOMENTS[i % MOMENTS.length] ?? /Restoring/
  const killed = await run('restore-home', at('e'), [at('rest.tar.gz')], {
    killWhen: (output) => moment.test(output),
  })
  if (killed.code === 0) continue
  const begun = fs.existsSync(path.join(at('e'), 'restoring'))
  await waitUntil(() => !fs.existsSync(path.join(at('e'), 'restoring/postgres/postmaster.pid')), {
    what: 'the killed restore to let go of its server',
    timeoutMs: 120_000,
  }).catch(() => {})
  if (!begun) continue
  const started = await run('start', at('e'), [], {
    killWhen: (output) => /PostgreSQL is ready/.test(output),
  })
  verdict(`killed at ${moment}: no start takes it`, /was not completed/.test(started.output), started.output)
}
// A lock without a name belongs to somebody who is just writing it, for a moment: its writer may have been killed in it.
const lock = path.join(at('e'), 'instance.lock')
await waitUntil(
  () => !fs.existsSync(lock) || fs.statSync(lock).size > 0 || Date.now() - fs.statSync(lock).mtimeMs > 6_000,
  {
    what: 'the lock of a killed restore to be given up',
  },
)
const last = await run('restore-home', at('e'), [at('rest.tar.gz')])
verdict('the next restore succeeds', last.code === 0, last.output)
await compare(at('c'), at('e'))

fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 })
await stores.stop()
process.exit(report.verdict() ? 0 : 1)
