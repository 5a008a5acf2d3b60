/**
 * A process that answers as the claude-mem worker does: `stand-in-worker.ts <manners>`, on CLAUDE_MEM_WORKER_PORT or a free port, which it
 * prints. With HOME set it writes `~/.claude-mem/worker.pid`.
 *
 * `obedient` ends when asked over HTTP, and so does `terse`, which says no more than its process and a status; `deaf` ends only by
 * SIGTERM, `stubborn` by SIGKILL alone; `nameless` is deaf and writes no pid file, `untokened` is deaf and writes one without its
 * token; `foreign` answers, but not as claude-mem does. `other` and `liar` are services of another kind that end when
 * asked: one names its process and a status, the other a process that does not exist.
 */
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { startOf } from '#server/launch/process-identity.mjs'

const manners = process.argv[2] ?? 'obedient'
const home = process.env.HOME
const HEALTH: Record<string, unknown> = {
  foreign: ['hello'],
  other: { status: 'ok', pid: process.pid },
  terse: { status: 'ok', pid: process.pid },
  liar: { status: 'ok', pid: 2 ** 30, initialized: true },
}
const answers: Record<string, unknown> = {
  '/api/health': HEALTH[manners] ?? { status: 'ok', pid: process.pid, initialized: true },
  '/api/readiness': { status: 'ready' },
  '/api/version': { version: '13.15.3' },
}

const server = http.createServer((request, response) => {
  const body = answers[request.url ?? '']
  response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  if (request.url !== '/api/admin/shutdown' || request.method !== 'POST') return
  if (['obedient', 'terse', 'other', 'liar'].includes(manners)) setImmediate(() => process.exit(0))
})
process.on('SIGTERM', () => {
  if (manners !== 'stubborn') process.exit(0)
})

server.listen(Number(process.env.CLAUDE_MEM_WORKER_PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  if (home && !['nameless', 'foreign', 'other', 'liar'].includes(manners)) writePidFile(home, port)
  process.stdout.write(`${port}\n`)
})

function writePidFile(folder: string, port: number): void {
  const token = manners === 'untokened' ? {} : { startToken: startOf(process.pid) }
  const text = JSON.stringify({ pid: process.pid, port, startedAt: new Date().toISOString(), ...token })
  fs.mkdirSync(path.join(folder, '.claude-mem'), { recursive: true })
  fs.writeFileSync(path.join(folder, '.claude-mem/worker.pid'), text)
}
