/** What is no entry yet leaves one audit event and nothing else, by whichever door it comes ([inbox#admission-checks], check 2). */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ledgerDigest } from '#server/http/testing/gateway.ts'
import { holdStill, type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { answerTrpc } from '#server/trpc/answer-trpc.ts'

let whole: WholeGateway
let owner: Record<string, string>
beforeAll(async () => {
  whole = await wholeGateway()
  const session = await whole.open({ via: 'api' })
  await holdStill(whole, session.sid)
  owner = await whole.bearer(session)
})
afterAll(() => whole.close())

const intent = {
  action: 'propose-note',
  target: 'notes/Beds/East.md',
  payload: { kind: 'note', text: '# East\n', summary: 'East' },
}
const MALFORMED: [string, unknown][] = [
  ['names an action that nobody knows', { intent: { ...intent, action: 'propose-nothing' } }],
  ['has a field that is not known', { intent, source: { role: 'owner' } }],
  ['has no intent', {}],
  ['is no object', []],
  ['wants to wait longer than it may', { intent, metadata: { ttl_hours: 721 } }],
  ['has a payload that is not that of its action', { intent: { ...intent, payload: { summary: 'x' } } }],
]

const send = async (body: unknown, headers = owner) =>
  whole.app.request('/api/v1/inbox', { method: 'POST', headers, body: JSON.stringify(body) })
const ask = async (body: unknown) =>
  answerTrpc(
    whole.services,
    new Request('http://localhost/api/trpc/inbox.submit', {
      method: 'POST',
      headers: owner,
      body: JSON.stringify(body),
    }),
  )

type Left = { name: string; actor: string; outcome: string; error_code: string; correlation_id: string }
async function leftBy<A>(act: () => Promise<A>): Promise<{ answer: A; events: Left[] }> {
  const last = sql`SELECT coalesce(max(id), 0) AS id FROM event`
  const { rows } = await whole.services.db.query<{ id: number }>(last)
  const before = await ledgerDigest(whole.services)
  const answer = await act()
  expect(await ledgerDigest(whole.services)).toBe(before)
  const events = await whole.services.db.query<Left>(
    sql`SELECT name, actor, outcome, error_code, correlation_id FROM event WHERE id > ${rows[0]?.id ?? 0} ORDER BY id`,
  )
  return { answer, events: events.rows }
}

const REJECTED = {
  name: 'inbox.rejected',
  actor: 'owner',
  outcome: 'refused',
  error_code: 'VALIDATION_FAILED',
  correlation_id: expect.any(String),
}

describe('an entry that does not fit its schema', () => {
  test.each(MALFORMED)('%s', async (_, body) => {
    const { answer, events } = await leftBy(() => send(body))
    expect(answer.status).toBe(422)
    const correlation_id = answer.headers.get('x-correlation-id')
    expect(events).toEqual([{ ...REJECTED, correlation_id }])
    const asked = await leftBy(() => ask(body))
    expect(asked.answer.status).toBe(422)
    expect(asked.events).toEqual([REJECTED])
  })

  test('is not read from somebody who may not submit', async () => {
    const operator = await whole.bearer(await whole.open({ role: 'operator', identity: 'operator:x' }))
    const { answer, events } = await leftBy(() => send({}, operator))
    expect(answer.status).toBe(403)
    expect(events.map(({ name }) => name)).toEqual(['access.refused'])
  })
})
