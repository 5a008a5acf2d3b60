import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdStill, type WholeGateway, wholeGateway } from './testing/whole-gateway.ts'

let gateway: WholeGateway
let headers: Record<string, string>
beforeAll(async () => {
  gateway = await wholeGateway()
  const session = await gateway.open({})
  await holdStill(gateway, session.sid)
  headers = await gateway.bearer(session)
})
afterAll(() => gateway.close())

async function call(method: string, path: string, body?: unknown) {
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const answer = await gateway.app.request(`/api/v1${path}`, init)
  return { status: answer.status, json: await answer.json() }
}
const note = (name: string, correlation_id?: string) => ({
  intent: {
    action: 'propose-note',
    target: `notes/Beds/${name}.md`,
    payload: { kind: 'note', text: `# ${name}\n`, summary: `New ${name}` },
  },
  ...(correlation_id ? { metadata: { correlation_id } } : {}),
})
const submit = async (name: string): Promise<string> =>
  (await call('POST', '/inbox', note(name))).json.resolution.id

describe('the inbox over REST', () => {
  test('202, a repeat 200, another body 409, nonsense 422', async () => {
    const first = await call('POST', '/inbox', note('One', 'c-1'))
    expect(first).toMatchObject({
      status: 202,
      json: { status: 'processed', resolution: { kind: 'proposal' } },
    })
    const again = await call('POST', '/inbox/submit', note('One', 'c-1'))
    expect(again).toMatchObject({ status: 200, json: { inbox_id: first.json.inbox_id, repeated: true } })
    expect(await call('POST', '/inbox', note('Other', 'c-1'))).toMatchObject({
      status: 409,
      json: { error: { code: 'IDEMPOTENCY_MISMATCH' } },
    })
    const edit = {
      action: 'propose-edit',
      target: 'notes/../x.md',
      payload: { summary: 'x', diff: { type: 'delete' } },
    }
    const refused = await call('POST', '/inbox', { intent: edit })
    expect(refused).toMatchObject({ status: 422, json: { error: { code: 'PATH_NOT_ALLOWED' } } })
    expect(await call('GET', `/inbox/entries/${refused.json.error.details.inbox_id}`)).toMatchObject({
      status: 200,
      json: { status: 'rejected', reason: { code: 'PATH_NOT_ALLOWED' } },
    })
    expect(await call('POST', '/inbox', { intent: {} })).toMatchObject({ status: 422 })
  })
})

describe('decisions over REST', () => {
  test('approve what was reviewed, take it back, reject, resubmit', async () => {
    const id = await submit('Two')
    const { json: view } = await call('GET', `/proposals/${id}`)
    expect(view.commands).toEqual(['approve', 'reject', 'extend', 'snooze'])
    const stale = await call('POST', `/proposals/${id}/approve`, { review_digest: 'a'.repeat(64) })
    expect(stale).toMatchObject({
      status: 409,
      json: {
        error: { code: 'STALE_REVIEW', retryable: true, details: { review_digest: view.review_digest } },
      },
    })
    const approved = await call('PATCH', `/proposals/${id}`, {
      status: 'approved',
      review_digest: view.review_digest,
    })
    expect(approved).toMatchObject({
      status: 200,
      json: { proposal: { status: 'APPROVED', commands: ['undo'] } },
    })
    expect(approved.json.proposal.apply_not_before > approved.json.proposal.decided_at).toBe(true)
    expect(await call('POST', `/proposals/${id}/undo`)).toMatchObject({ status: 200 })
    expect(
      await call('PATCH', `/proposals/${id}`, { status: 'Rejected', decision_note: 'short' }),
    ).toMatchObject({ status: 422 })
    const reject = { status: 'Rejected', decision_note: 'not what we agreed on', reason_code: 'style' }
    expect(await call('PATCH', `/proposals/${id}`, reject)).toMatchObject({ status: 200 })
    const next = await call('POST', `/proposals/${id}/resubmit`)
    expect(next).toMatchObject({ status: 201, json: { unchanged: false } })
    expect(await call('POST', `/proposals/${id}/resubmit`)).toMatchObject({
      status: 200,
      json: { unchanged: true },
    })
    expect(await call('POST', `/proposals/${id}/undo`)).toMatchObject({
      status: 409,
      json: { error: { details: { from: 'REJECTED', event: 'undo' } } },
    })
    expect((await call('GET', `/proposals/${id}`)).json.lineage.resubmitted_as).toBe(
      next.json.proposal.proposal_id,
    )
  })

  test('lists, counts and history', async () => {
    const id = await submit('Three')
    const pending = await call('GET', '/proposals/pending?limit=100')
    expect(pending.json.items.map((item: { proposal_id: string }) => item.proposal_id)).toContain(id)
    expect(await call('GET', '/proposals/counts')).toMatchObject({
      status: 200,
      json: { waiting: pending.json.items.length },
    })
    expect((await call('GET', '/proposals/history')).json.items).not.toContainEqual(
      expect.objectContaining({ proposal_id: id }),
    )
    expect((await call('GET', `/proposals/${id}/history`)).json).toMatchObject([{ transition: 'create' }])
    expect(await call('GET', '/proposals?status=PENDING&status=REJECTED&limit=1')).toMatchObject({
      status: 200,
    })
    for (const query of ['limit=0', 'limit=101', 'sort=x', 'status=x', 'cursor=x', 'unknown=1'])
      expect((await call('GET', `/proposals?${query}`)).status, query).toBeGreaterThanOrEqual(400)
  })
})
