import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { humanCommit } from '#server/proposals/testing/garden-kit.ts'
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
const bare = (method: string, body: unknown) =>
  gateway.app.request('/api/v1/proposals/batch', { method, headers, body: JSON.stringify(body) })
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
    expect(view.commands).toEqual(['approve', 'reject', 'edit', 'extend', 'snooze'])
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

  test('approve by force over a target that has changed: with the password, by its own address alone', async () => {
    const edit = {
      action: 'propose-edit',
      target: 'notes/Beds/North.md',
      payload: { summary: 'Ours', diff: { type: 'replace', text: '# Ours\n' } },
    }
    const id = (await call('POST', '/inbox', { intent: edit })).json.resolution.id
    await humanCommit(gateway.services, 'Beds/North.md', 'By hand.\n')
    const { json: view } = await call('GET', `/proposals/${id}`)
    const { review_digest, freshness } = view
    expect([freshness.mergeable, view.commands]).toEqual([false, ['reject', 'rebase', 'extend', 'snooze']])
    const force = { over_hash: freshness.current_hash, reason: 'ours is the newer text' }
    const body = { review_digest, force }
    const path = `/api/v1/proposals/${id}/approve`
    // Signed in long ago.
    const session = await gateway.open({})
    await gateway.services.db.query(sql`UPDATE session SET step_up_at = NULL WHERE sid = ${session.sid}`)
    const init = { method: 'POST', headers: await gateway.bearer(session), body: JSON.stringify(body) }
    const refused = await gateway.app.request(path, init)
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'STEP_UP_REQUIRED'])
    const status = 'approved'
    expect(await call('PATCH', `/proposals/${id}`, { status, ...body })).toMatchObject({ status: 422 })
    expect(await call('PATCH', `/proposals/${id}`, { status, review_digest })).toMatchObject({
      json: { error: { code: 'TARGET_CHANGED', details: { current_hash: freshness.current_hash } } },
    })
    for (const wrong of [
      { ...force, reason: 'short' },
      { reason: force.reason },
      { ...force, over_hash: 'x' },
    ])
      expect(await call('POST', `/proposals/${id}/approve`, { ...body, force: wrong })).toMatchObject({
        status: 422,
      })
    expect((await call('GET', `/proposals/${id}`)).json.status).toBe('PENDING')
    expect(await call('POST', `/proposals/${id}/approve`, body)).toMatchObject({
      status: 200,
      json: { unchanged: false, proposal: { status: 'APPROVED' } },
    })
    expect((await call('GET', `/proposals/${id}`)).json.approval.force).toEqual(force)
  })

  test('several at once: each answered for, 1 to 50, and counted as one request', async () => {
    const ids = [await submit('Batch one'), await submit('Batch two')]
    const batch = (body: unknown) => call('PATCH', '/proposals/batch', body)
    const left = async () =>
      Number((await bare('PATCH', { proposal_ids: ids, status: 'x' })).headers.get('ratelimit-remaining'))
    const before = await left()
    const unknown = 'prop_2026-01-01_000000000000'
    expect(await batch({ proposal_ids: [...ids, unknown], status: 'Approved' })).toMatchObject({
      status: 200,
      json: {
        updated: 2,
        skipped: 0,
        results: [{ proposal_id: ids[0], outcome: 'updated', status: 'APPROVED' }, {}, {}],
        errors: [{ proposal_id: unknown, outcome: 'error', status: null, code: 'NOT_FOUND' }],
      },
    })
    expect(await left()).toBe(before - 2)
    expect(await batch({ proposal_ids: ids, status: 'APPROVED' })).toMatchObject({
      json: { updated: 0, skipped: 2, errors: [] },
    })
    const wrong = [
      { proposal_ids: [], status: 'approved' },
      { proposal_ids: Array(51).fill(ids[0]), status: 'approved' },
      { proposal_ids: ids, status: 'applied' },
      { proposal_ids: ['x'], status: 'approved' },
      { proposal_ids: ids, status: 'rejected', decision_note: 'short' },
      { proposal_ids: ids, status: 'approved', force: { over_hash: 'absent', reason: 'because it is so' } },
    ]
    for (const body of wrong) expect((await batch(body)).status, JSON.stringify(body)).toBe(422)
    expect(await call('GET', '/proposals/alike')).toMatchObject({ status: 200, json: { groups: [] } })
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
