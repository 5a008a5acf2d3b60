/** Two clients that share nothing with the server: Python with its standard library, and curl. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

export type WireRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}
/** Names of headers in lower case. */
export type WireAnswer = {
  status: number
  type: string | null
  id: string | null
  headers: Record<string, string>
  text: string
}
export type WireClient = { tool: string; send(requests: readonly WireRequest[]): Promise<WireAnswer[]> }

const LIMIT_MS = 120_000

/** Not waited for in place: the server may be of this process. */
async function run(tool: string, args: readonly string[], input: string): Promise<string> {
  const child = spawn(tool, args, { timeout: LIMIT_MS })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  // A server that has answered already may read no more.
  child.stdin.on('error', () => undefined).end(input)
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`${tool} failed: ${stderr}`)
  return stdout
}

const python: WireClient = {
  tool: 'python3',
  send: async (requests) =>
    JSON.parse(
      await run('python3', [path.join(import.meta.dirname, 'wire_client.py')], JSON.stringify(requests)),
    ),
}

const curl: WireClient = {
  tool: 'curl',
  async send(requests) {
    const answers: WireAnswer[] = []
    for (const one of requests) answers.push(await sendByCurl(one))
    return answers
  },
}

async function sendByCurl({ method, url, headers, body }: WireRequest): Promise<WireAnswer> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const data = body === null ? [] : ['--data-binary', '@-']
  // First of all -q: no settings of the account, and no proxy of the environment.
  const args = [
    '-q',
    '--noproxy',
    '*',
    '--silent',
    '--show-error',
    '--include',
    '--path-as-is',
    '--request',
    method,
    ...given,
    ...data,
  ]
  const answer = (await run('curl', [...args, '--', url], body ?? '')).replace(
    /^HTTP\/1\.1 100 [\s\S]*?\r\n\r\n/,
    '',
  )
  const end = answer.indexOf('\r\n\r\n')
  const head = answer.slice(0, end)
  const lines = head.split('\r\n').slice(1)
  const named = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  )
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    type: named['content-type'] ?? null,
    id: named['x-request-id'] ?? null,
    headers: named,
    text: answer.slice(end + 4),
  }
}

export const WIRE_CLIENTS: readonly WireClient[] = [python, curl]

/** Whether the tool is on this machine. */
export const isInstalled = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0
