/**
 * A small HTTP server that answers as agents of nodes do, and in the ways in which one fails: the first part of the path says which. A process of its own, so that it answers
 * while a test waits for a client. `GET /seen` lists what it got.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Seen = { at: string; key: string | null; id: string | null; body: unknown }
const seen: Seen[] = []

const json = (res: ServerResponse, status: number, body: unknown) =>
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const report = ({ at, body }: Seen, more: object) => ({
  ...{
    ok: true,
    action: at.endsWith('push') ? 'push' : 'pull',
    ...(body as object),
    canonical_id: '6fe2e0f6071ac2bb',
  },
  ...{
    hostname: 'rpi4b',
    detail: 'push completed',
    dryrun: false,
    stdout: 'a\nb\n',
    stderr: '',
    returncode: 0,
    ...more,
  },
})

const LEAK = 'canary-of-the-node-'
const LEAKED = [
  `export MINIO_SECRET_KEY="${LEAK}secret"`,
  `MINIO_ACCESS_KEY=${LEAK}access`,
  `{"MEMBRIDGE_AGENT_KEY": "${LEAK}agent"}`,
  `X-MEMBRIDGE-ADMIN: ${LEAK}admin`,
  `db_password = '${LEAK}password'`,
  `https://user:${LEAK}url@minio.lan/bucket?token=${LEAK}query`,
  `api-token: ${LEAK}token`,
]

type Behaviour = (seen: Seen, res: ServerResponse) => unknown
const BEHAVIOURS: Record<string, Behaviour> = {
  ok: (one, res) => json(res, 200, report(one, {})),
  fails: (one, res) =>
    json(
      res,
      200,
      report(one, {
        ok: false,
        detail: 'SECONDARY: push blocked by default.',
        returncode: 3,
        stderr: 'no\n',
      }),
    ),
  dry: (one, res) => json(res, 200, report(one, { dryrun: true, detail: '[DRYRUN] would push' })),
  // Of other forms than today's: they count as absent.
  odd: (_, res) =>
    json(res, 200, { ok: true, detail: null, stdout: ['x', 'y'], stderr: 7, returncode: 1e12, dryrun: 'no' }),
  repeats: (one, res) =>
    json(res, 200, report(one, { detail: `key ${one.key}`, stdout: `X-MEMBRIDGE-AGENT: ${one.key}\n` })),
  refusesKey: (one, res) => json(res, 500, { detail: `no such key: ${one.key}` }),
  script: (one, res) => json(res, 200, report(one, { detail: '<script>alert(1)</script>' })),
  // What a careless hook prints: its environment, and the headers that it got.
  leaks: (one, res) =>
    json(
      res,
      200,
      report(one, {
        detail: `key=${one.key}`,
        stdout: LEAKED.join('\n'),
        stderr: `Authorization: Bearer ${LEAK}header`,
      }),
    ),
  leaksDetail: (_, res) => json(res, 500, { detail: `cannot sign in: MINIO_SECRET_KEY=${LEAK}detail` }),
  array: (_, res) => json(res, 200, []),
  html: (_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html><b>ok</b></html>'),
  huge: (_, res) =>
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"ok":true,"stdout":"${'x'.repeat(10 * 2 ** 20)}"}`),
  redirect: (_, res) => res.writeHead(307, { location: '/ok/sync/push' }).end(),
  key: (_, res) => json(res, 401, { detail: 'Unauthorized' }),
  breaks: (_, res) => json(res, 500, { detail: 'MEMBRIDGE_AGENT_KEY is not set on this node' }),
  drops: (_, res) => res.destroy(),
  hangs: () => undefined,
}

async function receive(req: IncomingMessage, res: ServerResponse) {
  const at = `${req.method} ${req.url}`
  if (at === 'GET /seen') return json(res, 200, seen)
  const text = (await req.toArray()).join('')
  const header = (name: string) => req.headers[name]?.toString() ?? null
  const one = {
    at,
    key: header('x-membridge-agent'),
    id: header('x-request-id'),
    body: JSON.parse(text || 'null'),
  }
  seen.push(one)
  const behave = BEHAVIOURS[req.url?.split('/')[1] ?? '']
  return behave ? behave(one, res) : json(res, 404, { detail: 'Not Found' })
}

const server = createServer((req, res) => void receive(req, res)).listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
)
// It ends with whoever started it.
process.stdin.resume().once('end', () => process.exit(0))
