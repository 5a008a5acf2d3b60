/** Two clients that share nothing with the server: Python with its standard library, and curl. */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

export type WireRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}
export type WireAnswer = { status: number; type: string | null; id: string | null; text: string }
export type WireClient = { tool: string; send(requests: readonly WireRequest[]): WireAnswer[] }

const LIMITS = { encoding: 'utf8', timeout: 120_000, maxBuffer: 64 * 2 ** 20 } as const

function run(tool: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr } = spawnSync(tool, args, { ...LIMITS, input })
  if (status !== 0) throw new Error(`${tool} failed: ${stderr}`)
  return stdout
}

const python: WireClient = {
  tool: 'python3',
  send: (requests) =>
    JSON.parse(run('python3', [path.join(import.meta.dirname, 'wire_client.py')], JSON.stringify(requests))),
}

const curl: WireClient = { tool: 'curl', send: (requests) => requests.map(sendByCurl) }

function sendByCurl({ method, url, headers, body }: WireRequest): WireAnswer {
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
  const answer = run('curl', [...args, '--', url], body ?? '').replace(/^HTTP\/1\.1 100 [\s\S]*?\r\n\r\n/, '')
  const end = answer.indexOf('\r\n\r\n')
  const head = answer.slice(0, end)
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? null
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    type: header('content-type'),
    id: header('x-request-id'),
    text: answer.slice(end + 4),
  }
}

export const WIRE_CLIENTS: readonly WireClient[] = [python, curl]

/** Whether the tool is on this machine. */
export const isInstalled = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0
