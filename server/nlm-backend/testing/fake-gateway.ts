import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { loadNlmEnv, type NlmEnv } from '../nlm-env.ts'

/** What the gateway is for the backend: serves contexts, takes artifacts and callbacks, over real HTTP. */
export type Posted = { path: string; headers: IncomingMessage['headers']; body: string }
export type FakeGateway = {
  origin: string
  artifacts: Posted[]
  callbacks: Posted[]
  contextsAsked: () => number
  /** Stores a context and gives its address. */
  context(snapshot: ContextSnapshot): string
  /** Statuses of the next answers; afterwards 201 and 200. `hang` never answers. */
  answerArtifacts: (number | 'hang')[]
  answerCallbacks: (number | 'hang')[]
  hangContexts: boolean
  /** Called when an artifact has come, before it is answered. */
  onArtifact: () => void
  close(): Promise<void>
}

export const KEY = 'nlm-key-of-the-test-0123456789abcdef'
export const CALLBACK_TOKEN = 'callback-token-of-the-test-0123456789'
export const SIGNING_KEY = 'signing-key-of-the-test-0123456789ab'

async function bodyOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

export async function fakeGateway(): Promise<FakeGateway> {
  const contexts = new Map<string, string>()
  let asked = 0
  const state = {
    artifacts: [] as Posted[],
    callbacks: [] as Posted[],
    answerArtifacts: [] as (number | 'hang')[],
    answerCallbacks: [] as (number | 'hang')[],
    hangContexts: false,
    onArtifact: () => {},
  }
  const answer = (res: ServerResponse, status: number | 'hang', body: object) => {
    if (status === 'hang') return
    res
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(status < 300 ? body : { error: { code: 'X' } }))
  }
  const server = createServer(async (req, res) => {
    const path = new URL(req.url ?? '/', 'http://x').pathname
    const posted = { path, headers: req.headers, body: await bodyOf(req) }
    if (path === '/api/v1/artifacts') {
      state.artifacts.push(posted)
      const { job_id } = JSON.parse(posted.body)
      state.onArtifact()
      return answer(res, state.answerArtifacts.shift() ?? 201, {
        artifact_id: `art-${job_id}`,
        url: `/api/v1/artifacts/art-${job_id}`,
        created: true,
      })
    }
    if (path.startsWith('/jobs/')) {
      state.callbacks.push(posted)
      return answer(res, state.answerCallbacks.shift() ?? 200, { ok: true })
    }
    if (path.startsWith('/api/v1/contexts/')) {
      asked++
      const text = contexts.get(path.split('/').at(-1) ?? '')
      if (state.hangContexts) return
      return text === undefined
        ? answer(res, 404, {})
        : res.writeHead(200, { 'content-type': 'application/json' }).end(text)
    }
    return answer(res, 200, { status: 'ok' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, {
    origin,
    contextsAsked: () => asked,
    context: (snapshot: ContextSnapshot) => {
      const text = JSON.stringify(snapshot)
      const digest = createHash('sha256').update(text).digest('hex')
      contexts.set(digest, text)
      return `${origin}/api/v1/contexts/${digest}?exp=1&sig=x`
    },
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  })
}

export const GARDEN = [
  {
    ref: 'lease.md',
    revision: 'r1',
    text: '# Plot lease\n\nA plot lease lasts one year. When the lease expired, the plot goes to the next gardener.\n',
  },
  { ref: 'вода.md', revision: 'r1', text: '# Полив\n\nМолоді яблуні поливають щотижня.\n' },
]

export const snapshotOf = (
  fragments: ContextSnapshot['fragments'] = GARDEN.map((n) => ({ ...n, score: 1 })),
): ContextSnapshot => ({
  schema: 'context/1',
  agent_slug: 'research-librarian',
  memory_revision: null,
  mode: 'basic',
  layer1: {},
  definition: {},
  sources: [],
  fragments,
  entities: [],
  feedback: [],
  totals: {},
  dropped: [],
})

/** A job for the gateway's context; fields may be replaced. */
export function jobFor(
  gateway: FakeGateway,
  replaced: Record<string, unknown> = {},
  snapshot = snapshotOf(),
) {
  const job_id = (replaced.job_id as string | undefined) ?? randomUUID()
  return {
    job_id,
    job_type: 'RESEARCH',
    payload: { query: 'Що відбувається, коли оренда (lease) минула?' },
    context: { memory_snapshot_url: gateway.context(snapshot), entity_refs: [] },
    callback: `${gateway.origin}/jobs/${job_id}/result`,
    write_token: 'write-token-1',
    ...replaced,
  }
}

export const envFor = (gateway: FakeGateway, more: Record<string, string> = {}): NlmEnv =>
  loadNlmEnv({
    NLM_PORT: '0',
    NOTEBOOKLM_API_KEY: KEY,
    MEMBRIDGE_CALLBACK_TOKEN: CALLBACK_TOKEN,
    MEMBRIDGE_CALLBACK_SIGNING_KEY: SIGNING_KEY,
    ARTIFACT_API_URL: `${gateway.origin}/api/v1`,
    NLM_ALLOWED_ORIGINS: gateway.origin,
    LOG_LEVEL: 'silent',
    ...more,
  })
