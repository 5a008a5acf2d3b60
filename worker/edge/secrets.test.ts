import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runCommandLine } from './command-line.ts'
import { makeMemoryFile } from './testing/memory-file.ts'
import { makeNodeHome } from './testing/node-home.ts'

const CANARY = 'canary4c1d'
const COMMANDS = [
  ['push'],
  ['leadership'],
  ['doctor'],
  ['diagnose'],
  ['print-project'],
  ['dance'],
  ['doctor', '--wrong'],
]

/** What commands leave in a home; a push takes the database's lock when its settings are good. */
const FOLDERS = ['.claude', '.claude-mem-minio', '.claude/plugins']
const LOCKS = ['.membridge', '.membridge/locks', '.membridge/locks/staging']

/** A store that repeats in every answer what it was sent. */
async function echoStore(): Promise<number> {
  const server = http.createServer((request, response) => {
    const code = `AccessDenied`
    const body = `<Error><Code>${code}</Code><Message>${JSON.stringify(request.headers)}${CANARY}</Message></Error>`
    response.writeHead(403, { 'content-type': 'application/xml' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const SECRETS = {
  MINIO_ACCESS_KEY: `${CANARY}-access`,
  MINIO_SECRET_KEY: `${CANARY}-secret`,
  MEMBRIDGE_ADMIN_KEY: `${CANARY}-admin`,
  MEMBRIDGE_SERVER_ADMIN_KEY: `${CANARY}-server`,
  MEMBRIDGE_AGENT_KEY: `${CANARY}-agent`,
}

/** Where keys can stand: the environment, the file, and values that are refused. */
const SPOTS: [string, (port: number) => { env: Record<string, string>; file: string }][] = [
  [
    'the environment',
    (port) => ({ env: { ...SECRETS, MINIO_ENDPOINT: `http://u:${CANARY}@127.0.0.1:${port}` }, file: '' }),
  ],
  [
    'the file',
    (port) => ({ env: { MINIO_ENDPOINT: `http://127.0.0.1:${port}/?k=${CANARY}` }, file: asFile(SECRETS) }),
  ],
  ['lines that are no assignment', () => ({ env: {}, file: `MINIO_SECRET_KEY: ${CANARY}\nA="${CANARY}\n` })],
  [
    'refused values',
    () => ({ env: { MINIO_ENDPOINT: CANARY, FORCE_PUSH: CANARY, LOCK_TTL_SECONDS: CANARY }, file: '' }),
  ],
]
const asFile = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('')

test.each(SPOTS)('no command prints a key that stands in %s, in text or JSON', async (_where, place) => {
  const { env, file } = place(await echoStore())
  const node = makeNodeHome()
  node.write('.claude-mem-minio/config.env', `${file}MINIO_BUCKET=b\n`)
  node.write('.claude/settings.json', `{"env":{"KEY":"${CANARY}"}, "hooks": 7}`)
  node.write('.claude/plugins/installed_plugins.json', `{"plugins":{"x":"${CANARY}"}}`)
  makeMemoryFile(node.path('m.db'))
  const own = { CLAUDE_PROJECT_ID: 'mem', CLAUDE_MEM_DB: node.path('m.db'), ...env }
  for (const command of COMMANDS) {
    for (const args of [command, [...command, '--json']]) {
      const { stdout, stderr } = await runCommandLine(args, { ...node.host, env: own })
      expect(stdout + stderr).not.toContain(CANARY)
      expect(stdout + stderr).not.toBe('')
    }
  }
  const written = fs
    .readdirSync(node.path(), { recursive: true, encoding: 'utf8' })
    .filter((name) => !/\.(env|json|db)/.test(name))
  expect([...FOLDERS, ...LOCKS]).toEqual(expect.arrayContaining(written))
  expect(written).toEqual(expect.arrayContaining(FOLDERS))
})
