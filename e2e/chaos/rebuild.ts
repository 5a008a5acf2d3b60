/**
 * The ledger of a busy home, lost and made again: `npm run chaos:rebuild`, some minutes, ROUNDS (10), no assertions of time;
 * with `STORE=s3`, on a real S3 server.
 *
 * `npm run seed -- busy` and a worker's real work fill a home. Then, each round: the product stops, its database directory is removed,
 * no start takes what is left, a first rebuild is killed at a moment that moves, and the next one brings back every row of the record,
 * column by column. The product starts on it, the audit verifies, and it works on, so that the next round loses what is new as well.
 * At last the objects of the newest events are lost too, which a signed head attests: the rebuild says so, goes on when that is accepted,
 * and the verification names them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { JOB_ENDED } from '#domain/run/run.rules.ts'
import { startPostgres } from '#server/launch/postgres.mjs'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type LedgerRecord, recordOfLedger, withoutRebuild } from '#server/rebuild/record-of-ledger.ts'
import { type Client, signedIn } from '../fixtures/bearer.ts'
import { chosenStore } from '../fixtures/chosen-store.ts'
import { freePort } from '../fixtures/free-port.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { startProduct } from '../fixtures/product.ts'
import { reportOf } from '../fixtures/report.ts'

const PASSWORD = 'a long enough phrase 42'
const ROUNDS = Number(process.env.ROUNDS ?? 10)
/** What a first rebuild has said when it is killed; before the last it has made everything and committed nothing. */
const MOMENTS = [/Rebuilding/, /event_seal/, /inbox_entry/, /run_call/, /artifact/]

type Ended = { code: number | null; output: string }

const base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-rebuild-'))
const home = path.join(base, 'home')
const stores = await chosenStore()
const ENV = {
  BLOOM_OWNER_PASSWORD: PASSWORD,
  APPLY_HOLD_SECONDS: '0',
  RATE_SIGN_INS: '1000',
  ...stores.env(home),
}
const report = reportOf('chaos:rebuild')
const verdict = report.check

/** Runs a command of the product; `killWhen` ends it and all that it started. */
async function run(program: string, args: string[] = [], killWhen?: RegExp): Promise<Ended> {
  const child = spawn(process.execPath, [`server/launch/${program}.mjs`, ...args], {
    env: {
      ...process.env,
      ...ENV,
      BLOOM_HOME: home,
      PORT: String(await freePort()),
      MEMBRIDGE_PORT: String(await freePort()),
      npm_lifecycle_event: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      if (killWhen?.test(output)) child.kill('SIGKILL')
    })
  const [code] = await once(child, 'close')
  return { code, output }
}

const directory = path.join(home, 'postgres')
const released = () =>
  waitUntil(() => !fs.existsSync(path.join(directory, 'postmaster.pid')), {
    what: 'the server of a killed command to end',
    timeoutMs: 120_000,
  })

/** The record of the stopped home, jobs in flight apart. */
async function recordOf(): Promise<LedgerRecord> {
  const { BLOOM_POSTGRES_PASSWORD: password } = JSON.parse(
    fs.readFileSync(path.join(home, 'secrets.json'), 'utf8'),
  )
  const server = await startPostgres({ directory, password })
  const client = new pg.Client({ connectionString: server.urlOf('bloom') })
  await client.connect()
  try {
    const record = await recordOfLedger(client)
    const isEnded = ({ status }: Record<string, unknown>) => JOB_ENDED.some((ended) => ended === status)
    return { ...record, job: (record.job ?? []).filter(isEnded) }
  } finally {
    await client.end()
    await server.stop()
  }
}

function compare(before: LedgerRecord, after: LedgerRecord): void {
  let sum = 0
  for (const [table, rows] of Object.entries(before)) {
    sum += rows.length
    const found = after[table] ?? []
    const at = rows.findIndex((row, n) => JSON.stringify(row) !== JSON.stringify(found[n]))
    if (at < 0 && found.length === rows.length) continue
    verdict(`rows of ${table}`, false, { rows: [rows.length, found.length], was: rows[at], is: found[at] })
  }
  verdict(`${sum} rows of ${Object.keys(before).length} tables are compared`, sum > 0)
}

/** Starts the product, works, and waits until nothing is under way and everything is projected. */
async function work(round: number): Promise<void> {
  const product = await startProduct({ home, env: ENV })
  try {
    const client = await signedIn(product.url, PASSWORD)
    if (round > 0) verdict(`round ${round}: the audit verifies`, await client.auditIsGood())
    await act(client, round)
    const busy = await run('rebuild-home')
    verdict(`round ${round}: refused while it runs`, /already runs/.test(busy.output), busy.output)
    await waitUntil(isQuiet, { what: 'the work to end', timeoutMs: 600_000 })
  } finally {
    await product.stop()
  }
}

async function act(client: Client, round: number): Promise<void> {
  for (let n = 0; n < 5; n++)
    await client.approve(await client.propose(`Round ${round}/${n}.md`, `Note ${n}`))
  await client.propose(`Round ${round}/waits.md`, 'It waits for a decision')
  await client.job(`What is written of round ${round}?`)
}

const UNDER_WAY = `SELECT (SELECT count(*) FROM proposal WHERE status = 'APPLYING' OR status = 'APPROVED' AND apply_not_before < now())
  + (SELECT count(*) FROM run WHERE finished_at IS NULL) + (SELECT count(*) FROM job WHERE lease_holder IS NOT NULL OR status = 'QUEUED')
  + (SELECT count(*) FROM event WHERE id > (SELECT low FROM event_head) AND id NOT IN (SELECT event FROM event_seal))
  + (SELECT h.seq - c.seq FROM event_head h, consumer c WHERE c.name = 'projector') AS n`

async function isQuiet(): Promise<boolean> {
  const { rows } = await inLedger(home, UNDER_WAY)
  return Number(rows[0]?.n) === 0
}

const seeded = await run('fill', ['busy'])
verdict('a busy home', seeded.code === 0, seeded.output)
await work(0)
for (let round = 1; round <= ROUNDS; round++) {
  const before = await recordOf()
  const refused = await run('rebuild-home')
  verdict(
    `round ${round}: a ledger that is there is left alone`,
    refused.code === 1 && /is not empty/.test(refused.output),
    refused.output,
  )
  fs.rmSync(directory, { recursive: true })
  if (round % 2 === 1) {
    const started = await run('start', [], /its ledger is missing/)
    verdict(`round ${round}: no start takes it`, /its ledger is missing/.test(started.output), started.output)
    await released()
  }
  const moment = MOMENTS[round % MOMENTS.length] ?? /Rebuilding/
  await run('rebuild-home', [], moment)
  await released()
  const rebuilt = await run('rebuild-home')
  const isWhole = rebuilt.code === 0 && !/could not be used|does not hold/.test(rebuilt.output)
  verdict(`round ${round}: killed at ${moment}, and rebuilt`, isWhole, rebuilt.output)
  if (round === 1) report.progress(rebuilt.output)
  if (rebuilt.code !== 0) break
  compare(before, withoutRebuild(await recordOf()))
  await work(round)
}

/** Loses the newest events with the database, as a crash between the signing of a head and the mirror would. */
async function loseEvents(count: number): Promise<void> {
  const { event = [] } = await recordOf()
  const store = await stores.open(home)
  for (const { event_id, ts } of event.slice(-count))
    await store.remove(`audit/${String(ts).slice(0, 10).replaceAll('-', '')}/${event_id}.json`)
  fs.rmSync(directory, { recursive: true })
  const said = `${count} events of the audit are lost`
  const refused = await run('rebuild-home')
  verdict(
    'events that are gone are said',
    refused.code === 1 && refused.output.includes(said),
    refused.output,
  )
  const accepted = await run('rebuild-home', ['--accept-lost-events'])
  verdict('and accepted', accepted.code === 0 && accepted.output.includes(said), accepted.output)
  const product = await startProduct({ home, env: ENV })
  const client = await signedIn(product.url, PASSWORD)
  verdict('the audit verifies', await client.auditIsGood())
  const { rows } = await inLedger(
    home,
    'SELECT losses FROM audit_verification ORDER BY started_at DESC LIMIT 1',
  )
  const [loss] = rows[0]?.losses ?? []
  verdict('and names what is lost', loss && loss.to - loss.from + 1 === count, rows)
  await product.stop()
}

await loseEvents(7)
fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 })
await stores.stop()
process.exit(report.verdict() ? 0 : 1)
