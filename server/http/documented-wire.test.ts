/**
 * The wire as it is documented outside this repository: complete examples of an inbox entry, a job, an artifact, an audit event and a run
 * are sent as they are written there, and the answers are read by the documented names alone.
 */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readyContexts } from '#server/jobs/backend-call.ts'
import { claimJobs } from '#server/jobs/queue.ts'
import { addAgent, submissionFor } from '#server/jobs/testing/queue-room.ts'
import { issueWriteToken } from '#server/jobs/write-token.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { OF_THIS_MACHINE } from './testing/gateway.ts'
import { type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

const AGENT = 'architect-guardian'
const JOB = '3f0a5a1e-6d0c-4c57-9a51-0d6cbb6a7a01'
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

let whole: WholeGateway
let owner: Record<string, string>
beforeAll(async () => {
  whole = await wholeGateway()
  owner = await whole.bearer(await whole.open({ via: 'api' }))
  await onLedger(whole.ledger.workerUrl, (db) => addAgent(db, AGENT))
})
afterAll(() => whole.close())

const call = async (at: string, body?: unknown, headers = owner) => {
  const [method = 'GET', path = ''] = at.split(' ')
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await whole.app.request(`/api/v1${path}`, { method, headers, ...sent })
  return { status: answer.status, json: await answer.json() }
}
const get = async (path: string) => (await call(`GET ${path}`)).json
const gatewayUrl = () => whole.services.env.GATEWAY_URL
const controlPlaneUrl = () => whole.services.env.MEMBRIDGE_URL
const publicUrl = () => whole.services.env.PUBLIC_URL

describe('an inbox entry', () => {
  const entry = {
    id: 'inbox_2026-02-24_abc123',
    source: { type: 'ui', identity: 'owner', authenticated: true, timestamp: '2026-02-24T10:00:00Z' },
    intent: {
      action: 'propose-edit',
      target: 'notes/Beds/North.md',
      payload: {
        diff: { type: 'append', position: 'end', text: 'Weeded on Fridays.\n' },
        summary: 'Say when the bed is weeded',
        reasoning: 'The calendar says so.',
      },
    },
    metadata: { correlation_id: 'run_2026-02-24_abc123', priority: 'high', ttl_hours: 72 },
  }
  let proposal: string

  test('is taken whole, and only its intent and metadata count', async () => {
    const forged = { ...entry, source: { ...entry.source, type: 'agent', identity: 'agent:somebody' } }
    const sent = await call('POST /inbox', forged)
    expect(sent).toMatchObject({
      status: 202,
      json: {
        status: 'processed',
        correlation_id: entry.metadata.correlation_id,
        resolution: { kind: 'proposal' },
      },
    })
    proposal = sent.json.resolution.id
    expect(sent.json.inbox_id).not.toBe(entry.id)
    expect(await get(`/inbox/entries/${sent.json.inbox_id}`)).toMatchObject({
      id: sent.json.inbox_id,
      source: { type: 'api', identity: 'owner', authenticated: true, timestamp: expect.stringMatching(TIME) },
      intent: entry.intent,
      metadata: entry.metadata,
      status: 'processed',
      resolution: { kind: 'proposal', id: proposal },
      reason: null,
    })
    const { items } = await get('/inbox/entries')
    expect(items[0]).toMatchObject({ id: sent.json.inbox_id, metadata: entry.metadata })
    expect(items[0].intent).not.toHaveProperty('payload')
  })

  test('of another form is refused', async () => {
    const refused = await call('POST /inbox', { ...entry, source: { ...entry.source, role: 'owner' } })
    expect([refused.status, refused.json.error.code]).toEqual([422, 'VALIDATION_FAILED'])
  })

  test('becomes a proposal that is read by its documented names', async () => {
    const read = await get(`/proposals/${proposal}`)
    expect(read).toMatchObject({
      id: proposal,
      inbox_entry_id: expect.stringMatching(/^inbox_/),
      created_at: expect.stringMatching(TIME),
      expires_at: expect.stringMatching(TIME),
      source: { type: 'api', identity: 'owner', run_id: null, agent_version: null, tainted: false },
      action: 'propose-edit',
      target: { type: 'note', path: 'notes/Beds/North.md' },
      content: {
        summary: entry.intent.payload.summary,
        changes: [
          {
            path: 'Beds/North.md',
            base_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
            diff: {
              type: 'append',
              position: 'end',
              unified: expect.stringContaining('+Weeded on Fridays.'),
            },
          },
        ],
        reasoning: entry.intent.payload.reasoning,
        citations: [],
        entity_refs: [],
      },
      relations: {},
      status: 'PENDING',
      approval: null,
      apply_result: { git_commit: null, repository: null, object_paths: [], remote: 'none', error: null },
    })
    await call(`POST /proposals/${proposal}/approve`, { review_digest: read.review_digest })
    expect((await get(`/proposals/${proposal}`)).approval).toMatchObject({
      decided_by: 'owner',
      mode: 'manual',
      rule_id: null,
      rule_version: null,
      force: null,
    })
  })
})

describe('a run', () => {
  test('is asked for with agent_slug and params', async () => {
    const sent = await call('POST /agents/run', { agent_slug: AGENT, params: { question: 'Who waters?' } })
    expect(sent).toMatchObject({
      status: 202,
      json: { run_id: expect.stringMatching(/^run_\d{4}-\d{2}-\d{2}_\d{6}_[0-9a-z]{6}$/) },
    })
    expect((await get(`/runs/${sent.json.run_id}`)).agent_slug).toBe(AGENT)
    expect(await get(`/runs/${sent.json.run_id}/trace`)).toEqual({
      run_id: sent.json.run_id,
      agent: AGENT,
      status: expect.stringMatching(/^(requested|queued)$/),
      duration_ms: null,
      phases: expect.arrayContaining([expect.objectContaining({ phase: 1, name: 'trigger', state: 'done' })]),
      steps: expect.arrayContaining([
        { id: 1, name: 'load-context', status: 'pending', duration_ms: null, attempts: [] },
      ]),
      spans: expect.any(Array),
      markers: [],
      proposals_created: [],
      jobs: [],
    })
    expect((await call(`POST /agents/${AGENT}/run`, { agent_slug: AGENT })).status).toBe(202)
  })

  test.each(['"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'a/b+c=', '~'.repeat(128)])(
    'that is asked for under the Idempotency-Key %s is the same one by it, also when no answer is kept',
    async (key) => {
      const ask = (question: string) =>
        call(`POST /agents/${AGENT}/run`, { params: { question } }, { ...owner, 'idempotency-key': key })
      const first = await ask(key)
      expect(first).toMatchObject({ status: 202, json: { unchanged: false } })
      await onLedger(whole.ledger.url, (db) => db.query(sql`DELETE FROM idempotency_key`))
      expect(await ask(key)).toMatchObject({ json: { run_id: first.json.run_id, unchanged: true } })
      await onLedger(whole.ledger.url, (db) => db.query(sql`DELETE FROM idempotency_key`))
      expect((await ask('Another?')).json.error.code).toBe('IDEMPOTENCY_MISMATCH')
    },
  )

  test.each([
    ['no agent', 'POST /agents/run', {}],
    ['two agents', 'POST /agents/run', { agent_slug: AGENT, slug: 'gardener' }],
    ['another agent than the address', `POST /agents/${AGENT}/run`, { agent_slug: 'gardener' }],
  ])('that names %s is refused', async (_, at, body) => {
    const refused = await call(at, body)
    expect([refused.status, refused.json.error.details[0].field]).toEqual([422, 'agent_slug'])
  })
})

describe('a job', () => {
  const job = {
    job_id: JOB,
    job_type: 'RESEARCH',
    agent_slug: AGENT,
    payload: { query: 'Who waters the north bed?' },
  }
  const entries = async () =>
    (
      await whole.services.db.query(
        sql`SELECT 1 FROM inbox_entry WHERE action = 'propose-artifact' AND target = ${`agents/${AGENT}`} AND payload ? 'job_type'`,
      )
    ).rowCount

  test('keeps the id of its caller, who gets the same job however often it is asked for', async () => {
    const callback = `${controlPlaneUrl()}/jobs/${JOB}/result`
    const sent = await call('POST /jobs', { ...job, callback })
    expect(sent).toMatchObject({ status: 202, json: { job_id: JOB, status: 'PENDING' } })
    const again = await Promise.all(
      [1, 2, 3].map(() => call('POST /jobs', { ...job, job_id: JOB.toUpperCase() })),
    )
    expect(again.map(({ status, json }) => [status, json])).toEqual(again.map(() => [202, sent.json]))
    expect(await entries()).toBe(1)
  })

  test.each([
    ['another payload', { ...job, payload: { query: 'Something else?' } }],
    ['another agent', { ...job, agent_slug: 'gardener' }],
  ])('with the same id and %s is 409', async (_, body) => {
    const refused = await call('POST /jobs', body)
    expect([refused.status, refused.json.error.code]).toEqual([409, 'IDEMPOTENCY_MISMATCH'])
  })

  const ofAnother = '00000000-0000-4000-8000-000000000000'
  test.each<[string, Record<string, string>, string]>([
    ['another callback', { callback: 'https://membridge.internal/jobs/{job_id}/result' }, 'callback'],
    ['the other address of the same use-case', { callback: `GATEWAY/api/v1/jobs/${JOB}/result` }, 'callback'],
    ['a callback of another job', { callback: `OWN/jobs/${ofAnother}/result` }, 'callback'],
    ['an id that is none', { job_id: 'job-1' }, 'job_id'],
  ])('with %s is refused, and leaves nothing', async (_, more, field) => {
    const callback = more.callback?.replace('GATEWAY', gatewayUrl()).replace('OWN', controlPlaneUrl())
    const asked = { ...job, job_id: crypto.randomUUID(), ...more, ...(callback && { callback }) }
    const refused = await call('POST /jobs', asked)
    expect([refused.status, refused.json.error.details[0].field]).toEqual([422, field])
    expect(await entries()).toBe(1)
  })

  test('is read by its documented names, and CREATED means PENDING', async () => {
    expect(await get(`/jobs/${JOB}`)).toMatchObject({
      job_id: JOB,
      run_id: null,
      job_type: 'RESEARCH',
      agent_slug: AGENT,
      status: 'PENDING',
      attempt: 0,
      max_attempts: 3,
      payload: job.payload,
      context: { memory_snapshot_url: null, entity_refs: [] },
      callback: `${controlPlaneUrl()}/jobs/${JOB}/result`,
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      artifact_id: null,
      error: null,
      tenant: 'default',
      replay_of: null,
      depends_on: [],
    })
    const ids = (page: { items: { job_id: string }[] }) => page.items.map((one) => one.job_id)
    expect(ids(await get('/jobs?status=CREATED'))).toEqual([JOB])
    expect(ids(await get('/jobs?status=COMPLETE'))).toEqual([])
  })
})

describe('an artifact', () => {
  let artifact: string
  let run: string

  test('of a job is read by its documented names, in lists too', async () => {
    run = (await get('/runs')).items[0].run_id
    const key = whole.services.env.BLOOM_JOB_TOKEN_KEY
    const token = await onLedger(whole.ledger.workerUrl, async (db) => {
      const parts = { db, database: db } as Parameters<typeof claimJobs>[0]
      await db.query(sql`UPDATE job SET run_id = ${run} WHERE job_id = ${JOB}`)
      const job = (await claimJobs(parts, { holder: 'worker-1', limit: 10 })).find(
        (one) => one.job_id === JOB,
      )
      if (!job) throw new Error('the job was not claimed')
      const issued = await issueWriteToken(key, job, job.claimed_at)
      const context = { context_key: 'k', context_sha256: 'c'.repeat(64), write_token_hash: issued.hash }
      await readyContexts(db, [{ job_id: JOB, fence: job.fence, ...context }])
      return issued.token
    })
    expect((await get(`/jobs/${JOB}`)).context.memory_snapshot_url).toBe(
      `${gatewayUrl()}/api/v1/contexts/${'c'.repeat(64)}.json`,
    )
    const bearer = {
      ...OF_THIS_MACHINE,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    }
    const submission = {
      ...submissionFor(JOB),
      entity_refs: ['entity-slug-1'],
      tags: ['research', 'architecture'],
    }
    const written = await call('POST /artifacts', submission, bearer)
    expect(written.status).toBe(201)
    artifact = written.json.artifact_id
    const documented = {
      artifact_id: artifact,
      job_id: JOB,
      type: 'RESEARCH_BRIEF',
      agent_slug: AGENT,
      created_at: expect.stringMatching(TIME),
      finalized: true,
      finalized_at: expect.stringMatching(TIME),
      version: 1,
      url: `${publicUrl()}/api/v1/artifacts/${artifact}`,
      entity_refs: ['entity-slug-1'],
      tags: ['research', 'architecture'],
    }
    expect(written.json.url).toBe(documented.url)
    expect(await get(`/artifacts/${artifact}`)).toMatchObject({
      ...documented,
      run_id: run,
      content: submission.content,
      sources: [{ ref: 'notes/one.md', excerpt: 'A sentence.' }],
    })
    expect((await get('/artifacts')).items[0]).toMatchObject(documented)
    expect(await get(`/jobs/${JOB}`)).toMatchObject({ status: 'COMPLETE', artifact_id: artifact })
  })

  test('of a run is a file with its exact bytes', async () => {
    const [file] = await get(`/runs/${run}/artifacts`)
    expect(file).toMatchObject({
      name: `${artifact}.json`,
      type: 'RESEARCH_BRIEF',
      created_at: expect.stringMatching(TIME),
    })
    const { pathname } = new URL(file.download_url)
    const bytes = await (await whole.app.request(pathname, { headers: owner })).arrayBuffer()
    expect([bytes.byteLength, JSON.parse(Buffer.from(bytes).toString()).artifact_id]).toEqual([
      file.size_bytes,
      artifact,
    ])
    expect((await call(`GET /runs/run_2026-02-24_abc123/artifacts`)).status).toBe(404)
    expect((await call(`GET /runs/${run}/artifacts/art-${JOB}.json`)).status).toBe(404)
  })
})

test('an audit event of a job is read by its documented names', async () => {
  const { items } = await get(`/audit?event=job.status.update&resource_id=${JOB}`)
  expect(items.find((one: { to: string }) => one.to === 'NOTEBOOKLM_CALL')).toMatchObject({
    ts: expect.stringMatching(TIME),
    event: 'job.status.update',
    actor: 'orchestration-layer',
    job_id: JOB,
    from: 'CONTEXT_ASSEMBLY',
    to: 'NOTEBOOKLM_CALL',
    node: expect.any(String),
  })
})
