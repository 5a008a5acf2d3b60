/**
 * `npm run chaos:database`: the whole product, whose PostgreSQL is killed twenty times while a person proposes and approves; the
 * last time its port is taken by a stranger for half a minute. The product has to become healthy again by itself, `/health` must not
 * say ok while nobody answers, and in the end every approval that was confirmed is applied by exactly one commit, the chain whole.
 *
 * A server that was killed is started again after a second, so twenty kills take about ninety. When its port is taken it gets another
 * one, and the programs are started anew with that address: for this moment nobody answers. KILLS (20) and HELD_MS (30 000) change the
 * numbers. Ends with 1 when anything differs.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Client, signedIn } from '../fixtures/bearer.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { startProduct } from '../fixtures/product.ts'
import { reportOf } from '../fixtures/report.ts'

const KILLS = Number(process.env.KILLS ?? 20)
const HELD_MS = Number(process.env.HELD_MS ?? 30_000)
/** How long the server may work before it is killed again. */
const WORK_MS = 2_000
const PASSWORD = 'a long enough phrase 42'

type Server = { pid: number; port: number; ready: boolean }

/** What PostgreSQL wrote of itself. */
function serverOf(home: string): Server | null {
  try {
    const lines = fs.readFileSync(path.join(home, 'postgres/postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' }
  } catch {
    return null
  }
}

const readyServer = (home: string, other?: number): Promise<Server> =>
  waitUntil(
    () => {
      const server = serverOf(home)
      return server?.ready && server.pid !== other ? server : null
    },
    { timeoutMs: 180_000, what: 'PostgreSQL' },
  )

/** Proposes and approves until `stop`; counts what was confirmed, and goes on after what was not. */
function work(client: Client) {
  let working = true
  const approved: string[] = []
  let refused = 0
  const done = (async () => {
    for (let n = 0; working; n++) {
      try {
        const id = await client.propose(`Storm/${n}.md`, `Note ${n}`)
        await client.approve(id)
        approved.push(id)
      } catch {
        refused++
        await pause(100)
      }
    }
  })()
  const stop = async () => {
    working = false
    await done
    return { approved, refused }
  }
  return { stop }
}

/** Looks at `/health` all the time and counts each answer. */
function watchHealth(url: string) {
  let watching = true
  const seen: Record<string, number> = {}
  const done = (async () => {
    while (watching) {
      const status = await fetch(`${url}/health`).then(
        (answer) => String(answer.status),
        () => 'none',
      )
      seen[status] = (seen[status] ?? 0) + 1
      await pause(100)
    }
  })()
  const stop = async () => {
    watching = false
    await done
    return seen
  }
  return { stop, isOk: async () => (await fetch(`${url}/health`).catch(() => null))?.ok === true }
}

/** Kills the server; its port is a stranger's from that moment on. */
async function killAndHold(server: Server): Promise<net.Server> {
  const stranger = net.createServer()
  process.kill(server.pid, 'SIGKILL')
  await waitUntil(
    async () => {
      stranger.listen(server.port, '127.0.0.1')
      return await Promise.race([
        once(stranger, 'listening').then(() => true),
        once(stranger, 'error').then(() => false),
      ])
    },
    { what: 'the port' },
  )
  return stranger
}

async function storm(home: string): Promise<void> {
  for (let n = 1; n < KILLS; n++) {
    const server = await readyServer(home)
    process.kill(server.pid, 'SIGKILL')
    await readyServer(home, server.pid)
    await pause(WORK_MS)
  }
  const server = await readyServer(home)
  const stranger = await killAndHold(server)
  await pause(HELD_MS)
  stranger.close()
  await readyServer(home, server.pid)
}

const commitsOf = (home: string): string[] =>
  execFileSync('git', ['--git-dir', path.join(home, 'garden.git'), 'log', '--format=%B%x00', 'main'], {
    encoding: 'utf8',
  })
    .split('\0')
    .flatMap((message) => proposalOfCommit(message) ?? [])

const product = await startProduct({
  env: { BLOOM_OWNER_PASSWORD: PASSWORD, APPLY_HOLD_SECONDS: '0' },
})
const report = reportOf('chaos:database')
const verdict = report.check
try {
  const client = await signedIn(product.url, PASSWORD)
  const health = watchHealth(product.url)
  const working = work(client)
  const began = performance.now()
  await storm(product.home)
  const seconds = Math.round((performance.now() - began) / 1_000)
  verdict('healthy by itself', await waitUntil(health.isOk, { timeoutMs: 120_000, what: 'health' }))
  await pause(2_000)
  const { approved, refused } = await working.stop()
  const seen = await health.stop()
  report.figure('kills', `${KILLS} in ${seconds} s`)
  report.figure('approvals', `${approved.length} confirmed, ${refused} calls refused`)
  report.figure('health', JSON.stringify(seen))
  verdict('health said when the ledger was away', (seen['503'] ?? 0) > 0, seen)
  const answers = Object.keys(seen).filter((status) => status !== 'none')
  verdict(
    'health answered with nothing but 200 and 503',
    answers.every((s) => ['200', '503'].includes(s)),
    seen,
  )
  const open = () =>
    inLedger(product.home, `SELECT FROM proposal WHERE status IN ('APPROVED', 'APPLYING')`).then(
      ({ rowCount }) => rowCount === 0,
    )
  await waitUntil(open, { timeoutMs: 300_000, what: 'the approvals to be applied' })
  const commits = commitsOf(product.home)
  const applied = await inLedger(product.home, `SELECT proposal_id FROM proposal WHERE status = 'APPLIED'`)
  const missing = approved.filter((id) => !commits.includes(id))
  verdict('every confirmed approval has its commit', missing.length === 0, missing)
  verdict('no commit twice', new Set(commits).size === commits.length, commits.length)
  verdict('ledger and garden agree', applied.rowCount === commits.length, [applied.rowCount, commits.length])
  verdict('the audit verifies', await client.auditIsGood())
} finally {
  await product.stop()
}
report.verdict()
