/**
 * Stands between Worker Nodes and BLOOM Runtime in both directions and tells of every call, before it is passed on and after it was answered. Whoever listens
 * may take its time: the call, or its answer, is held for so long. A held call is passed on even though the node has hung up meanwhile, as a network may do.
 *
 *   /n/<node>/…                  what a node calls (`BLOOM_RUNTIME_URL`)
 *   /lease/<token>/…             what a node that was called reports to (`RUNTIME_URL` of the product)
 *   /a/<node>/execute-task       how the runtime calls a node (`MEMBRIDGE_AGENT_URL`)
 */
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type CallKind = 'register' | 'fetch' | 'execute' | 'beat' | 'complete' | 'other'
export type Call = {
  kind: CallKind
  node: string
  /** Of a fetch it is known once it is answered. */
  taskId: string | null
  /** Null until it is answered, and when nobody answered. */
  status: number | null
  /** When it came and when it was answered, by `performance.now()`. */
  beganAt: number
  answeredAt: number
}
export type Listener = {
  before?(call: Call): Promise<void> | void
  after?(call: Call): Promise<void> | void
}

type Answer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer }

export class TaskWire {
  /** Every call that was answered. */
  readonly calls: Call[] = []
  /** The product, once it runs. */
  target = ''
  readonly #agents = new Map<string, string>()
  readonly #holders = new Map<string, string>()
  readonly #listeners = new Set<Listener>()
  readonly #open = new Map<ServerResponse, { call: Call; upstream: AbortController }>()
  readonly #server = http.createServer((request, response) => void this.#pass(request, response))

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  /** Where the agent of a node listens. */
  addAgent(node: string, url: string): void {
    this.#agents.set(node, url)
  }

  /** Returns how to leave. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Answers the open fetch of a node with nothing to do, upon which it asks again. */
  nudge(node: string): void {
    for (const [response, { call, upstream }] of this.#open)
      if (call.kind === 'fetch' && call.node === node) {
        upstream.abort()
        response.writeHead(204).end()
      }
  }

  /** Whether no call of a node about this task is held or on its way. */
  isQuiet(node: string, taskId: string): boolean {
    return ![...this.#open.values()].some(
      ({ call }) => call.node === node && call.taskId === taskId && call.kind !== 'execute',
    )
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    const upstream = new AbortController()
    try {
      const body = Buffer.concat(await request.toArray())
      const { call, url } = this.#read(request.url ?? '/', body)
      this.#open.set(response, { call, upstream })
      // The runtime notices that a node which waits for work is gone; so it does here.
      if (call.kind === 'fetch') response.once('close', () => upstream.abort())
      for (const { before } of [...this.#listeners]) await before?.(call)
      const answer = await forward(url, request, body, upstream.signal)
      call.status = answer.status
      call.answeredAt = performance.now()
      if (call.kind === 'fetch' && answer.status === 200)
        call.taskId = JSON.parse(answer.body.toString()).job.task_id
      this.calls.push(call)
      for (const { after } of [...this.#listeners]) await after?.(call)
      if (!response.headersSent) response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      if (!response.writableEnded) response.destroy()
    } finally {
      this.#open.delete(response)
    }
  }

  #read(address: string, body: Buffer): { call: Call; url: string } {
    const [, first = '', second = '', ...rest] = address.split('/')
    const path = `/${rest.join('/')}`
    const call: Call = {
      kind: kindOf(path),
      node: second,
      taskId: idIn(path),
      status: null,
      answeredAt: 0,
      beganAt: performance.now(),
    }
    if (first === 'n') return { call, url: this.target + path }
    if (first === 'lease')
      return { call: { ...call, node: this.#holders.get(second) ?? '' }, url: this.target + address }
    const { task_id, runtime_url } = JSON.parse(body.toString())
    this.#holders.set(String(runtime_url).split('/').at(-1) ?? '', second)
    return { call: { ...call, kind: 'execute', taskId: task_id }, url: this.#agents.get(second) + path }
  }
}

const kindOf = (path: string): CallKind =>
  path.endsWith('/workers')
    ? 'register'
    : path === '/api/jobs/lease'
      ? 'fetch'
      : /\/(renew|heartbeat)$/.test(path)
        ? 'beat'
        : path.endsWith('/complete')
          ? 'complete'
          : 'other'

const idIn = (path: string): string | null =>
  /\/(?:jobs|llm-tasks)\/([0-9a-f-]{36})\//.exec(path)?.[1] ?? null

function forward(url: string, { method, headers }: IncomingMessage, body: Buffer, signal: AbortSignal) {
  return new Promise<Answer>((resolve, reject) => {
    const { host: _host, connection: _connection, ...kept } = headers
    const request = http.request(url, { method, headers: kept, agent: false, signal }, (answer) => {
      answer.toArray().then((chunks) => {
        const { 'transfer-encoding': _, connection: _c, ...said } = answer.headers
        resolve({ status: answer.statusCode ?? 0, headers: said, body: Buffer.concat(chunks) })
      }, reject)
    })
    request.once('error', reject)
    request.end(body)
  })
}
