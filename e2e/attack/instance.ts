/** A whole product to be attacked, its owner signed in over HTTP, and what its web process holds in memory. */
import fs from 'node:fs'
import { type Product, startProduct } from '../fixtures/product.ts'

const PASSWORD = 'a phrase for the attack 42'

export type Timed = { status: number; ms: number; text: string }
export type Target = Product & {
  headers: Record<string, string>
  /** Never throws: an answer that does not come has the status 599. */
  ask(method: string, path: string, body?: unknown): Promise<Timed>
  /** Resident memory of the web process in MB; 0 where /proc does not tell. */
  rss(): number
}

export async function startTarget(options: { garden?: string } = {}): Promise<Target> {
  const env = { BLOOM_OWNER_PASSWORD: PASSWORD, APPLY_HOLD_SECONDS: '0' }
  const product = await startProduct({ ...options, env })
  const headers = await signIn(product.url)
  return { ...product, headers, ask: askAs(product.url, headers), rss: () => webMemory(product.home) }
}

async function signIn(url: string): Promise<Record<string, string>> {
  const ours = { 'content-type': 'application/json', 'x-garden': '1', origin: url }
  const csrf = await fetch(`${url}/api/auth/csrf`, { headers: ours })
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = cookiesOf(csrf)
  const answer = await fetch(`${url}/api/auth/callback/password`, {
    method: 'POST',
    headers: { ...ours, cookie },
    body: JSON.stringify({ name: 'owner', password: PASSWORD, csrfToken, json: 'true' }),
  })
  if (!answer.ok) throw new Error(`the owner could not sign in: ${answer.status} ${await answer.text()}`)
  return { ...ours, cookie: [cookie, cookiesOf(answer)].join('; ') }
}

const cookiesOf = (answer: Response): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

const askAs =
  (url: string, headers: Record<string, string>): Target['ask'] =>
  async (method, path, body) => {
    const began = performance.now()
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    try {
      const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(120_000) })
      const text = await answer.text()
      return { status: answer.status, ms: performance.now() - began, text }
    } catch (error) {
      return { status: 599, ms: performance.now() - began, text: String(error) }
    }
  }

const read = (file: string): string => {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function webMemory(home: string): number {
  if (!fs.existsSync('/proc/self/environ')) return 0
  const kilobytes = fs
    .readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(`BLOOM_HOME=${home}\0`))
    .filter((pid) => /next-server|next\/dist\/bin/.test(read(`/proc/${pid}/cmdline`)))
    .reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0), 0)
  return Math.round(kilobytes / 1024)
}

/** The value below which this share of the numbers lies, in whole milliseconds. */
export function share(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
}
