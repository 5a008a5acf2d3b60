/**
 * `npm run fuzz`: requests that nobody means, at the pages and at the sign-in of a whole product, written to the socket byte by byte since
 * no client would send them. The same SEED sends the same requests; ROUNDS is how many for each endpoint. Ends with 1 after an answer of 5xx,
 * or when the ledger is not what it was.
 *
 * Memory is compared with that of a process which has worked for people: before anything odd is sent, every address is asked plainly, by
 * somebody who is signed in and by somebody who is not, until its code is loaded and compiled. What the first visitors cost would otherwise
 * count as growth. The largest value of the whole run is held against it, not the last.
 */
import net from 'node:net'
import { type Dice, dice, ODD_BODIES, ODD_TEXTS } from '#server/http/testing/odd-input.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { reportOf } from '../fixtures/report.ts'
import { startTarget, type Target } from './instance.ts'

const SEED = Number(process.env.SEED ?? 20261122)
const ROUNDS = Number(process.env.ROUNDS ?? 500)
const AT_ONCE = 8
/** Memory is read after each of them. */
const PASSES = 10
/** Plain requests to each address before the first odd one. */
const PLAIN = 40
const PATHS = `
  / /inbox /settings /notes /notes/Home.md /proposals /proposals/x /sign-in /zone/x /api /api/ /favicon.ico
  /.git/config /_next/image /_next/data/x/y.json /_next/static/x.js /nowhere /health /metrics /api/auth
  /api/auth/csrf /api/auth/session /api/auth/providers /api/auth/signin /api/auth/error
  /api/auth/callback/password /api/auth/callback/link /api/auth/signout /api/auth/_log /api/trpc/notes.list
  /api/v1/notes /api/v1/events/stream
`
  .trim()
  .split(/\s+/)
const METHODS = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'X',
]
const ENDS = [
  '',
  '',
  '',
  '/',
  '//',
  '%',
  '%ff',
  '%00',
  '%2e%2e/',
  '/../x',
  ';x',
  '?',
  '?%',
  '?callbackUrl=x',
  '?_rsc=x',
]
const TYPES = [
  'application/json',
  'text/plain',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'x',
  '',
]
const ENCODINGS = ['identity', 'gzip', 'br', 'x', '']
const TREES = ['{', '%', '[1]', '["",{}]', '%5B%22%22%2C%7B%7D%5D', '["",{},null,"x"]']
/** Name, and the values it is tried with; each comes with every twelfth request. */
const HEADERS: Record<string, readonly string[]> = {
  'next-action': ['x', '0'.repeat(42), ''],
  rsc: ['1', 'x'],
  'next-router-state-tree': TREES,
  'next-router-prefetch': ['1', '2', 'x'],
  'next-router-segment-prefetch': ['/_tree', '/x', '%'],
  'next-url': ['/', '%', '//x'],
  'x-nextjs-data': ['1'],
  'x-middleware-subrequest': ['proxy', 'x:x:x:x:x'],
  'x-forwarded-host': ['evil.example', 'a b', ':'],
  'x-forwarded-proto': ['https', 'javascript', ','],
  'x-forwarded-for': ['x', '1.2.3.4, 5'],
  'x-matched-path': ['/x', '%'],
  'accept-language': ['uk', 'x'.repeat(500), '*;q=9'],
  cookie: ['garden_back=x', 'garden_csrf=|', 'garden_session=x', 'garden_session=%', '=', ';;;', 'a=\u00ff'],
  origin: ['null', 'x', 'http://evil.example'],
  range: ['bytes=0-', 'x'],
  'if-none-match': ['x', '*'],
  expect: ['100-continue', 'x'],
}
const HOSTS = ['localhost', 'a b', 'a/b', '[::1', 'x'.repeat(300), ':', 'a@b', '127.0.0.1:99999', '']

function requestOf(path: string, roll: Dice, target: Target): string {
  const method = roll.pick(METHODS)
  const odd = roll.next() < 0.3 ? encodeURI(roll.pick(ODD_TEXTS).toWellFormed()).slice(0, 3_000) : ''
  const long = roll.next() < 0.02 ? 'x'.repeat(9_000) : ''
  const host = roll.next() < 0.9 ? new URL(target.url).host : roll.pick(HOSTS)
  const lines = [
    `${method} ${path}${roll.pick(ENDS)}${odd}${long} HTTP/1.1`,
    `host: ${host}`,
    'connection: close',
  ]
  if (roll.next() < 0.5)
    for (const name of ['cookie', 'x-garden', 'origin']) lines.push(`${name}: ${target.headers[name]}`)
  for (const [name, values] of Object.entries(HEADERS))
    if (roll.next() < 1 / 12) lines.push(`${name}: ${roll.pick(values)}`)
  if (method === 'GET' || method === 'HEAD') return `${lines.join('\r\n')}\r\n\r\n`
  lines.push(`content-type: ${roll.pick(TYPES)}`, `content-encoding: ${roll.pick(ENCODINGS)}`)
  const body = roll.pick(ODD_BODIES)
  if (roll.next() < 0.15)
    return `${lines.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`
  return `${lines.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** The status of the answer; 0 where the connection just ends, 599 where nothing comes for half a minute. */
function send(url: string, request: string): Promise<number> {
  const { port } = new URL(url)
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(request))
    let text = ''
    socket.setTimeout(30_000, () => {
      socket.destroy()
      resolve(599)
    })
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += text.length < 64 ? chunk : ''
      // A stream of events never ends by itself.
      if (/^HTTP\/1\.1 \d{3}/.test(text)) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)))
  })
}

type Round = { path: string; roll: Dice; count: number }

async function sendRound(target: Target, codes: Map<number, number>, { path, roll, count }: Round) {
  const requests = Array.from({ length: count }, () => requestOf(path, roll, target))
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    const group = requests.slice(at, at + AT_ONCE)
    const answers = await Promise.all(group.map((request) => send(target.url, request)))
    answers.forEach((code, n) => {
      codes.set(code, (codes.get(code) ?? 0) + 1)
      if (code >= 500) report.progress(`${code} ${JSON.stringify(group[n]?.slice(0, 600))}`)
    })
  }
}

/** What people ask for; a page that is open reads its stream as well. */
async function warmUp(target: Target): Promise<void> {
  const cookie = `cookie: ${target.headers.cookie}\r\n`
  for (const path of PATHS)
    for (let n = 0; n < PLAIN; n += AT_ONCE) {
      const who = (at: number) => (at % 2 === 0 ? cookie : '')
      const plain = (at: number) =>
        `GET ${path} HTTP/1.1\r\nhost: ${new URL(target.url).host}\r\n${who(at)}connection: close\r\n\r\n`
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => send(target.url, plain(at))))
    }
}

/** What nobody may have changed; refusals are recorded, and the sign-in of this programme is there before. */
const ledger = async ({ home }: Target): Promise<string> =>
  JSON.stringify(
    (
      await inLedger(
        home,
        `SELECT (SELECT count(*) FROM proposal) p, (SELECT count(*) FROM inbox_entry) i, (SELECT count(*) FROM job) j,
         (SELECT count(*) FROM zone) z, (SELECT count(*) FROM account) a, (SELECT count(*) FROM session) s`,
      )
    ).rows[0],
  )

const report = reportOf('fuzz')
const target = await startTarget()
try {
  report.figure('run', `SEED=${SEED} ROUNDS=${ROUNDS}`)
  await warmUp(target)
  const calm = target.rss()
  const before = await ledger(target)
  const codes = new Map<number, number>()
  const rolls = PATHS.map((_, index) => dice(SEED + index * 7919))
  const memory: number[] = []
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [index, path] of PATHS.entries())
      await sendRound(target, codes, { path, roll: rolls[index] as Dice, count: Math.ceil(ROUNDS / PASSES) })
    memory.push(target.rss())
  }
  const same = (await ledger(target)) === before
  const faults = [...codes].filter(([code]) => code >= 500).reduce((sum, [, count]) => sum + count, 0)
  const answers = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => `${code} × ${count}`)
  report.figure('answers', answers.join(', '))
  report.figure(
    'requests',
    [...codes.values()].reduce((sum, count) => sum + count, 0),
  )
  const growth = (Math.max(...memory) / Math.max(1, calm)).toFixed(2)
  const tenths = `${calm} MB before, ${memory.join(' → ')} MB after each tenth`
  report.figure('memory of web', `${tenths}, at most × ${growth}`, '≤ × 1.3')
  report.check('no answer of 5xx', faults === 0, `${faults} × 5xx`)
  report.check('the ledger is unchanged', same)
  report.verdict()
} finally {
  await target.stop()
}
