/**
 * One RESEARCH job through everything that the product is made of here: ledger, worker loops, NotebookLM Backend, gateway routes, object
 * store and garden, over real HTTP.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import pino from 'pino'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { getArtifact } from '#server/artifacts/get-artifact.query.ts'
import { createEntryHandlers } from '#server/composition/create-entry-handlers.ts'
import { jobRoutes } from '#server/control-plane/job.routes.ts'
import { type Env, loadEnv } from '#server/env.ts'
import { DETAIL_FACE } from '#server/gate/detail-face.ts'
import { createApp } from '#server/http/app.ts'
import { machineRoutes } from '#server/http/machine.routes.ts'
import { mountRoutes } from '#server/http/mount-routes.ts'
import { stampPeerAddresses } from '#server/http/peer-address.ts'
import { createNlmClient, type NlmClient } from '#server/jobs/nlm-client.ts'
import {
  addAgent,
  addJob,
  eventsOf,
  jobLine,
  OPERATOR,
  openRoom,
  type Room,
} from '#server/jobs/testing/queue-room.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { openReads } from '#server/ledger/prisma.ts'
import { startNlmBackend } from '#server/nlm-backend/nlm-backend.ts'
import { loadNlmEnv } from '#server/nlm-backend/nlm-env.ts'
import type { Services } from '#server/services.ts'
import { jobWatchLoop } from '#worker/loops/job-watch.loop.ts'
import { type Running, startLoop } from '#worker/loops/loop.ts'
import { orchestratorLoop } from '#worker/loops/orchestrator.loop.ts'
import { createPipeline } from './job-pipeline.ts'
import { jobHandlers } from './registry.ts'

const LONG = { timeoutMs: 120_000 }
let room: Room
let folder: string
let services: Services
let gateway: ServerType
let backend: Awaited<ReturnType<typeof startNlmBackend>>
let nlm: NlmClient
const running: Running[] = []

const NOTE = '# Оренда\n\nТермін оренди лідерства минув, і вузол більше не головний.\n'

beforeAll(async () => {
  stampPeerAddresses()
  room = await openRoom()
  folder = await mkdtemp(path.join(tmpdir(), 'research-'))
  const gitdir = path.join(folder, 'garden.git')
  await importGarden(await mkdtemp(path.join(folder, 'empty-')), gitdir, {
    author: { name: 'Gardener', email: 'gardener@example.org' },
    extraFiles: [{ path: 'notes/leases.md', content: NOTE }],
  })
  await addAgent(room.db, 'librarian')
  const parts = async () => ({ ...services, ...room.web })
  const app = createApp(parts, machineRoutes)
  const log = pino({ level: 'silent' })
  const plane = mountRoutes(new Hono(), { routes: jobRoutes, face: DETAIL_FACE, services: parts, log })
  // Artifacts and contexts are the gateway's, callbacks the control plane's.
  const fetch = (request: Request) =>
    new URL(request.url).pathname.startsWith('/api/') ? app.fetch(request) : plane.fetch(request)
  gateway = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  await waitUntil(() => gateway.address())
  const origin = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const env = loadEnv({
    BLOOM_HOME: path.join(folder, 'home'),
    DATABASE_URL: room.url,
    GATEWAY_URL: origin,
    MEMBRIDGE_URL: origin,
    LOG_LEVEL: 'silent',
  })
  backend = await startNlmBackend(nlmEnvOf(env, origin), pino({ level: 'silent' }))
  services = {
    env,
    log: pino({ level: 'silent' }),
    database: room.database,
    db: room.db,
    reads: openReads(room.database),
    notifier: { notify: () => {}, on: () => () => {}, close: async () => {} },
    store: await openDirectoryStore(path.join(folder, 'objects')),
    garden: await openGitRepository(gitdir),
    storeConditions: null as never,
    executors: null as never,
    orchestration: null as never,
    entryHandlers: createEntryHandlers(env, { find: () => null }),
  }
  nlm = createNlmClient({ url: `http://127.0.0.1:${backend.port}`, apiKey: env.NOTEBOOKLM_API_KEY })
  const run = createPipeline(services, jobHandlers(services, nlm))
  running.push(startLoop(orchestratorLoop(services, { holder: 'w', concurrency: 4, run }), services))
  running.push(startLoop(jobWatchLoop(services, { holder: 'w', nlm }), services))
})

afterAll(async () => {
  for (const loop of running.reverse()) await loop.stop()
  await backend?.stop()
  gateway?.close()
  await room?.close()
  await rm(folder, { recursive: true, force: true })
})

const nlmEnvOf = (env: Env, origin: string) =>
  loadNlmEnv({
    NLM_PORT: '0',
    NOTEBOOKLM_API_KEY: env.NOTEBOOKLM_API_KEY,
    MEMBRIDGE_CALLBACK_TOKEN: env.MEMBRIDGE_CALLBACK_TOKEN,
    MEMBRIDGE_CALLBACK_SIGNING_KEY: env.MEMBRIDGE_CALLBACK_SIGNING_KEY,
    ARTIFACT_API_URL: `${origin}/api/v1`,
    NLM_ALLOWED_ORIGINS: origin,
    NLM_ALLOWED_ADDRESSES: '127.0.0.1',
    LOG_LEVEL: 'silent',
  })

const reaches = (id: string, status: string) =>
  waitUntil(async () => (await jobLine(room.db, id)).status === status, {
    ...LONG,
    what: `the job to be ${status}`,
  })

describe('a RESEARCH job', { timeout: 300_000 }, () => {
  it('ends with a brief whose every citation is a verbatim excerpt of the garden', async () => {
    const id = await addJob(room.db, {
      agent: 'librarian',
      query: 'Що буде, коли термін оренди лідерства минув?',
    })
    await reaches(id, 'COMPLETE')
    const { artifact_id } = await jobLine(room.db, id)
    const read = await getArtifact({ ...services, ...room.web }, artifact_id as string, OPERATOR)
    if (!read.ok) throw new Error(read.refusal.message)
    expect(read.value.type).toBe('RESEARCH_BRIEF')
    expect(read.value.sources.length).toBeGreaterThan(0)
    const lines = NOTE.split('\n')
    for (const source of read.value.sources) {
      const cited = lines.slice(source.lines.from - 1, source.lines.to).join('\n')
      expect(source.ref).toBe('notes/leases.md')
      expect(cited).toContain(source.excerpt)
    }
    const states = (await eventsOf(room.db, id)).map((e) => e.to_status)
    expect(states.slice(0, 2)).toEqual(['PENDING', 'QUEUED'])
    expect(states.slice(-4)).toEqual(['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE', 'COMPLETE'])
    await waitUntil(
      async () =>
        (await room.web.db.query(sql`SELECT 1 FROM job_callback WHERE job_id = ${id}`)).rows.length === 1,
      { ...LONG, what: 'the signed callback' },
    )
  })

  it('fails for good where a source may not be reached, and leaves the origin of it in one event', async () => {
    const sources = [{ ref: 'meta', url: 'http://169.254.169.254/latest/meta-data?key=hidden' }]
    const id = await addJob(room.db, { agent: 'librarian', query: 'What is there?', sources })
    await reaches(id, 'FAILED')
    const { rows } = await room.db.query<{ actor: string; details: object }>(
      sql`SELECT actor, details FROM event WHERE name = 'access.refused' AND refs->>'job_id' = ${id}`,
    )
    expect(rows).toEqual([
      {
        actor: 'nlm-backend',
        details: { addresses: [{ origin: 'http://169.254.169.254', reason: 'origin' }], count: 1 },
      },
    ])
  })

  it('backs off when the backend is gone, with its reason', async () => {
    await backend.stop()
    const id = await addJob(room.db, { agent: 'librarian', query: 'Is anybody there?' })
    const failed = await waitUntil(
      async () => (await eventsOf(room.db, id)).find((e) => e.transition === 'nlm_busy'),
      { ...LONG, what: 'the job to back off' },
    )
    expect(failed.details).toMatchObject({
      backoff_seconds: 15,
      error: { code: 'NLM_UNAVAILABLE', phase: 'NOTEBOOKLM_CALL' },
    })
  })
})
