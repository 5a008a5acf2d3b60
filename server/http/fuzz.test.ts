import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationList } from '#server/composition/all-operations.ts'
import type { Operation } from '#server/operations/operation.ts'
import { answerTrpc } from '#server/trpc/answer-trpc.ts'
import type { Route } from './route.ts'
import { restRoutes } from './routes.ts'
import { ledgerDigest, OF_THIS_MACHINE } from './testing/gateway.ts'
import { type Dice, dice, nearly, ODD_BODIES, ODD_TEXTS, schemaOf } from './testing/odd-input.ts'
import { holdStill, type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

/** Requests for each endpoint; FUZZ_ROUNDS for a longer night (500 are the whole programme). */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 9)
const SEED = Number(process.env.FUZZ_SEED ?? 20261121)
const LEAK = /node_modules|\bat \S+ \(|\.ts:\d+|SELECT |INSERT |postgres|ECONN|\/tmp\//

let gateway: WholeGateway
let ids: string[] = []
beforeAll(async () => {
  gateway = await wholeGateway()
  ids = await someOfEverything()
})
afterAll(() => gateway.close())

type Answer = { status: number; text: string; type: string }

/** A few real objects, so that commands reach past "not found". */
async function someOfEverything(): Promise<string[]> {
  const headers = await owner()
  const post = (path: string, body: unknown) =>
    gateway.app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  await post('/api/v1/zones', { name: 'Readers', folders: ['Beds'] })
  const payload = {
    kind: 'note',
    diff: { type: 'create', text: '# New\n' },
    summary: 'New',
    reasoning: 'Because it is new.',
  }
  const entry = { intent: { action: 'propose-note', target: 'notes/Beds/New.md', payload } }
  expect((await post('/api/v1/inbox', entry)).status).toBe(202)
  const { rows } = await gateway.services.db.query<{ id: string }>(sql`
    SELECT zone_id AS id FROM zone UNION ALL SELECT inbox_id FROM inbox_entry UNION ALL SELECT proposal_id FROM proposal
    UNION ALL (SELECT event_id FROM event LIMIT 2) UNION ALL SELECT slug FROM agent`)
  return [...rows.map((row) => row.id), 'Beds/North.md', '00000000-0000-4000-8000-000000000000']
}

/** A fresh session of the owner, stepped up, whose row does not move while it is used. */
async function owner(): Promise<Record<string, string>> {
  const session = await gateway.open({})
  await holdStill(gateway, session.sid)
  return gateway.bearer(session)
}

async function read(answer: Response): Promise<Answer> {
  const type = answer.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream')) {
    await answer.body?.cancel()
    return { status: answer.status, text: '', type }
  }
  return { status: answer.status, text: await answer.text(), type }
}

/** What `/health` says where no worker probes: no fault, but its answer. */
const saysNotServing = ({ status, text }: Answer) => status === 503 && text === '{"status":"unavailable"}'

function judge(answer: Answer, what: string): void {
  const shown = `${what} → ${answer.status} ${answer.text.slice(0, 300)}`
  if (answer.status >= 500 && !saysNotServing(answer)) throw new Error(`a fault of ours: ${shown}`)
  if (answer.status >= 400 && LEAK.test(answer.text)) throw new Error(`tells too much: ${shown}`)
}

/** Sends the round; refusals must leave the ledger as it was. Where a request was let in, refusals are repeated one by one. */
async function round(requests: (() => Promise<Answer>)[], what: string): Promise<void> {
  const before = await ledgerDigest(gateway.services)
  const refused: (() => Promise<Answer>)[] = []
  for (const [index, send] of requests.entries()) {
    const answer = await send()
    judge(answer, `${what} #${index} seed ${SEED}`)
    if (answer.status >= 400) refused.push(send)
  }
  if (refused.length === requests.length) {
    expect(await ledgerDigest(gateway.services)).toBe(before)
    return
  }
  let known = await ledgerDigest(gateway.services)
  for (const send of refused.slice(0, 8)) {
    const answer = await send()
    const now = await ledgerDigest(gateway.services)
    if (answer.status >= 400) expect(now).toBe(known)
    known = now
  }
}

function restRequest(declared: Route, roll: Dice, headers: Record<string, string>): () => Promise<Answer> {
  const path = declared.path.replaceAll(
    /\{\w+\}/g,
    () => encodeURIComponent(roll.next() < 0.5 ? roll.pick(ids) : roll.pick(ODD_TEXTS)) || 'x',
  )
  const fields = Object.keys(schemaOf(declared.query).properties ?? {})
  const search = new URLSearchParams()
  for (const field of [...fields, 'odd'])
    if (roll.next() < (field === 'odd' ? 0.05 : 0.4)) search.append(field, String(roll.pick(ODD_TEXTS)))
  const more: Record<string, string> = {}
  if (roll.next() < 0.1)
    more['content-type'] = roll.pick([
      'text/plain',
      'multipart/form-data; boundary=x',
      '',
      'application/json; charset=utf-16',
    ])
  if (roll.next() < 0.1) more['idempotency-key'] = roll.pick(['k1', 'x'.repeat(200), 'é', 'k2'])
  if (roll.next() < 0.1) more['last-event-id'] = roll.pick(['-1', 'x', '99999999999999999999'])
  if (roll.next() < 0.05) more['x-correlation-id'] = roll.pick(['x'.repeat(300), '{}', 'a\tb'])
  const init: RequestInit = { method: declared.method.toUpperCase(), headers: { ...headers, ...more } }
  if (declared.method !== 'get') {
    init.body =
      roll.next() < 0.25 ? roll.pick(ODD_BODIES) : JSON.stringify(nearly(schemaOf(declared.body), roll, ids))
  }
  return async () => read(await gateway.app.request(`${path}?${search}`, init))
}

function trpcRequest(
  path: string,
  operation: Operation,
  roll: Dice,
  headers: Record<string, string>,
): () => Promise<Answer> {
  const input = nearly(schemaOf(operation.input ?? undefined), roll, ids)
  const text = roll.next() < 0.15 ? roll.pick(ODD_BODIES) : JSON.stringify(input)
  const query = operation.kind === 'read'
  const base = `http://localhost/api/trpc/${path}`
  const batch = roll.next() < 0.2
  const body = batch ? `{"0":${text || 'null'}}` : text
  const url = query
    ? `${base}?${batch ? 'batch=1&' : ''}input=${encodeURIComponent(body)}`
    : batch
      ? `${base}?batch=1`
      : base
  const init: RequestInit = query ? { headers } : { method: 'POST', headers, body }
  return async () => read(await answerTrpc(gateway.services, new Request(url, init)))
}

const seeded = (index: number): Dice => dice(SEED + index * 7919)

describe('whatever is sent, the answer is ours and a refusal changes nothing', { timeout: 300_000 }, () => {
  test.each(
    restRoutes.map(
      (declared, index) => [`${declared.method.toUpperCase()} ${declared.path}`, index] as const,
    ),
  )('%s', async (name, index) => {
    const [roll, headers] = [seeded(index), await owner()]
    const declared = restRoutes[index] as Route
    const key =
      'key' in declared.policy
        ? {
            ...{ ...headers, ...OF_THIS_MACHINE },
            authorization: `Bearer ${gateway.services.env.MEMBRIDGE_CALLBACK_TOKEN}`,
          }
        : headers
    await round(
      Array.from({ length: ROUNDS }, () => restRequest(declared, roll, key)),
      name,
    )
  })

  const offered = operationList.filter((operation) => operation.trpc)
  test.each(offered.map((operation, index) => [operation.name, index] as const))(
    'trpc %s',
    async (path, index) => {
      const [roll, headers] = [seeded(1_000 + index), await owner()]
      const operation = offered[index] as Operation
      await round(
        Array.from({ length: ROUNDS }, () => trpcRequest(path, operation, roll, headers)),
        path,
      )
    },
  )

  test('paths and methods that do not exist', async () => {
    const headers = await owner()
    const paths = [
      '/api/v1',
      '/api/v1/',
      '/api/v1//jobs',
      '/api/v1/jobs/%',
      '/api/v1/jobs/%ff',
      '/api/v1/../../etc/passwd',
      '/api/v1/.git/config',
      '/api/v1/jobs/a/b/c/d',
      '/api/v2/jobs',
      '/metrics/..',
    ]
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']) {
        const answer = await read(await gateway.app.request(path, { method, headers }))
        judge(answer, `${method} ${path}`)
      }
    }
    for (const path of [
      'x',
      'jobs',
      'jobs.list.x',
      '__proto__',
      'constructor.x',
      'jobs.list,jobs.list',
      '',
    ]) {
      judge(
        await read(
          await answerTrpc(
            gateway.services,
            new Request(`http://localhost/api/trpc/${path}?batch=1`, { headers }),
          ),
        ),
        path,
      )
      judge(
        await read(
          await answerTrpc(gateway.services, new Request(`http://localhost/api/trpc/${path}`, { headers })),
        ),
        path,
      )
    }
  })
})
