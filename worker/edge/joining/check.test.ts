import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { nodeBeat } from '../agent/node-beat.ts'
import { parseConfigFile } from '../config/config-file.ts'
import { joinText, NODE_KEY } from '../testing/join-values.ts'
import { makeNodeHome, type NodeHome } from '../testing/node-home.ts'
import { runProgram } from '../testing/run-program.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')
const FILE = '.claude-mem-minio/config.env'
const CANARY = 'canary2b7d'

type Asked = { url: string | undefined; headers: http.IncomingHttpHeaders; body: unknown }

/** A server that answers every request in one way, and what it was asked. */
async function openServer(status: number, answer: unknown, headers: Record<string, string> = {}) {
  const asked: Asked[] = []
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    asked.push({ url: request.url, headers: request.headers, body: JSON.parse(text || 'null') })
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { place: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const check = (node: NodeHome, place: string, args: string[] = []) =>
  runProgram(process.execPath, [MAIN, 'join', '--check', ...args], {
    cwd: node.path(),
    env: { HOME: node.path(), PATH: '/usr/bin:/bin' },
    input: place === '' ? '' : joinText({ MEMBRIDGE_SERVER_URL: `http://${place}/` }),
  })

const ROLE = {
  ok: true,
  role: 'primary',
  canonical_id: '6fe2e0f6071ac2bb',
  lease_state: 'valid',
  epoch: 1,
  term: 1,
}

test('sends one heartbeat with the key of the node, and says what the server knows', async () => {
  const node = makeNodeHome()
  const { place, asked } = await openServer(200, ROLE)
  const { code, stdout } = await check(node, place, ['--project', 'mem'])
  expect(code).toBe(0)
  expect(stdout).toContain(`OK: ${place} knows this node: role primary in 6fe2e0f6071ac2bb\n`)
  expect(asked).toMatchObject([
    {
      url: '/agent/heartbeat',
      headers: { 'x-membridge-agent': NODE_KEY, 'content-type': 'application/json' },
      body: {
        ...nodeBeat(
          { nodeId: 'rpi4b', leadershipEnabled: true },
          { canonical_id: '6fe2e0f6071ac2bb', project_id: 'mem' },
        ),
        last_seen: expect.any(Number),
      },
    },
  ])
  // An empty input asks again and writes nothing.
  const before = fs.readFileSync(node.path(FILE), 'utf8')
  const again = await check(node, '', ['--json'])
  expect(JSON.parse(again.stdout)).toMatchObject({ changed: false, check: { ok: true, status: 200 } })
  expect(fs.readFileSync(node.path(FILE), 'utf8')).toBe(before)
})

test.each<[number, unknown, RegExp]>([
  [
    401,
    { detail: `Unauthorized ${NODE_KEY}` },
    /answered 401 \(Unauthorized gbk_\S+\*{4}\): the key is not valid/,
  ],
  [403, { detail: 'clear text' }, /answered 403 \(clear text\): the server refuses/],
  [404, {}, /answered 404: no control plane answers at this address/],
  [200, { hello: CANARY }, /answered 200: is this the control plane\?/],
  [503, 'busy', /answered 503: try again later/],
])('%i is said in a sentence, with the file written and exit code 1', async (status, answer, line) => {
  const node = makeNodeHome()
  const { place } = await openServer(status, answer)
  const { code, stdout, stderr } = await check(node, place)
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(line)
  expect(stdout).not.toMatch(new RegExp(`${NODE_KEY}|${CANARY}`))
  expect(fs.existsSync(node.path(FILE))).toBe(true)
})

test('the key does not follow a redirect, and a server that is away is said', async () => {
  const node = makeNodeHome()
  const elsewhere = await openServer(200, ROLE)
  const { place } = await openServer(307, {}, { location: `http://${elsewhere.place}/agent/heartbeat` })
  expect((await check(node, place)).stdout).toContain('answered 307')
  expect(elsewhere.asked).toEqual([])
  expect((await check(node, '127.0.0.1:9')).stdout).toContain('127.0.0.1:9 cannot be reached: ')
})

const SCRIPT = '/usr/bin/script'
test('at a terminal nothing that is pasted or typed appears', async (context) => {
  if (!fs.existsSync(SCRIPT)) lacking(context, SCRIPT)
  const node = makeNodeHome()
  const command = `"${process.execPath}" "${MAIN}" join`
  const env = { HOME: node.path(), PATH: '/usr/bin:/bin', SHELL: '/bin/sh', TERM: 'dumb' }
  const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
    cwd: node.path(),
    env: env as unknown as NodeJS.ProcessEnv,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text
  })
  const shows = (text: string) => waitUntil(() => screen.includes(text), { what: text, timeoutMs: 30_000 })
  await shows('Paste the text')
  child.stdin.write(joinText().replaceAll('\n', '\r'))
  await shows('MINIO_ACCESS_KEY (does not appear')
  child.stdin.write(`${CANARY}x\u007f-access\r`)
  await shows('MINIO_SECRET_KEY (does not appear')
  child.stdin.write(`wrong\u0015${CANARY}-s'ecret\r`)
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  expect(screen).not.toMatch(new RegExp(`${CANARY}|gbk_|a{43}`))
  expect(parseConfigFile(fs.readFileSync(node.path(FILE), 'utf8'), '/h').values).toMatchObject({
    MINIO_ACCESS_KEY: `${CANARY}-access`,
    MINIO_SECRET_KEY: `${CANARY}-s'ecret`,
    MEMBRIDGE_NODE_KEY: NODE_KEY,
  })
})
