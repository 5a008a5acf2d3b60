import { describe, expect, it } from 'vitest'
import { auditObject, parseAuditObject } from '#server/outbox/audit-object.ts'
import { proposalOf } from './proposal-body.ts'
import { parseDocument } from './read-objects.ts'
import { eventOf } from './rebuild-events.ts'
import { entryOf } from './rebuild-inbox.ts'
import { pastEvent } from './rebuild-proposals.ts'
import { runRow } from './rebuild-runs.ts'

const RECEIVED = '2026-01-01T00:00:00.000Z'

describe('the object of an event', () => {
  const body = '{"actor":"owner","details":{"hash":",\\"hash\\":\\""},"event":"x.y","event_id":"evt_1"}'
  const position = { seq: 7, number: 9, prev_hash: Buffer.alloc(32), hash: Buffer.alloc(32, 1) }
  const text = auditObject({ ...position, body, sealed_at: new Date(RECEIVED) })

  it('gives back the bytes that were hashed, and their position', () => {
    expect(parseAuditObject(text)).toEqual({
      body,
      position: {
        seq: 7,
        number: 9,
        sealed_at: RECEIVED,
        prev_hash: '00'.repeat(32),
        hash: '01'.repeat(32),
      },
    })
  })

  it('may be the bytes alone, as an earlier version stored them', () => {
    expect(parseAuditObject(body)).toEqual({ body, position: null })
  })

  it.each(['{}', '{"event":{"event_id":"evt_1"},"seq":1}', text.replace('"seq":7', '"seq":"7"'), '[', '"x"'])(
    '%s is none',
    (other) => expect(() => parseAuditObject(other)).toThrow(),
  )

  it('gives back the columns of an event whose bytes are of the earliest form', () => {
    const earliest = {
      ...{
        event_id: 'evt_1',
        ts: RECEIVED,
        event: 'x.y',
        actor: 'owner',
        actor_role: 'owner',
        via: 'console',
      },
      resource: { type: 'x', id: '1' },
      transition: null,
      from: null,
      to: 'NEW',
      reason: null,
      outcome: 'ok',
      error_code: null,
      node: 'n',
      correlation_id: null,
      refs: { job_id: 'j', other: 'o' },
      details: { a: 1 },
    }
    expect(eventOf(JSON.stringify(earliest), 3)).toMatchObject({
      id: 3,
      name: 'x.y',
      resource_type: 'x',
      resource_id: '1',
      to_status: 'NEW',
      transition: null,
      refs: { job_id: 'j', other: 'o' },
      details: { a: 1 },
    })
  })
})

describe('bodies of an earlier version', () => {
  it('are entries that wait as long as they said', () => {
    const body = { inbox_id: 'inbox_1', received_at: RECEIVED, ttl_hours: 2, action: 'propose-note' }
    expect(entryOf(body, undefined)).toMatchObject({
      inbox_id: 'inbox_1',
      action: 'propose-note',
      status: 'pending',
      body_digest: '',
      expires_at: new Date('2026-01-01T02:00:00.000Z'),
    })
    const outcome = { inbox_id: 'inbox_1', status: 'rejected', reason_code: 'TAINTED', reason: 'No.' }
    expect(entryOf(body, outcome)).toMatchObject({
      status: 'rejected',
      reason_code: 'TAINTED',
      reason: 'No.',
    })
  })

  it('are proposals that wait as long as one does that says nothing', () => {
    const body = {
      proposal_id: 'prop_1',
      created_at: RECEIVED,
      status: 'PENDING',
      changes: [{ path: 'a.md' }],
    }
    expect(proposalOf(body)).toMatchObject({
      proposal_id: 'prop_1',
      changes: [{ path: 'a.md' }],
      priority: 'normal',
      version: 1,
      expires_at: new Date('2026-01-04T00:00:00.000Z'),
    })
  })

  it('are events without a record, known by their transition or their name', () => {
    const of = (value: Record<string, unknown>) => pastEvent({ key: '', value })
    expect(of({ ts: RECEIVED, event: 'proposal.approved', transition: 'approve', to: 'APPROVED' })).toEqual({
      event: 'approve',
      to: 'APPROVED',
      at: RECEIVED,
      record: null,
    })
    expect(of({ ts: RECEIVED, event: 'proposal.extended', details: { hours: 1 } })).toEqual({
      event: 'extend',
      to: null,
      at: RECEIVED,
      record: null,
    })
  })

  it('are runs whose manifest says what their status does not', () => {
    const manifest = { run_id: 'r', definition_sha256: 'd' }
    expect(runRow({ run_id: 'r', status: 'completed', queue_position: null }, manifest)).toMatchObject({
      definition_sha256: 'd',
      params: {},
      priority: 'normal',
      totals: { manifest },
      lease_expires_at: null,
    })
  })
})

it('a run that somebody worked on is to be resumed, one that waits for its job is nobody’s', () => {
  const running = { run_id: 'r', status: 'running', updated_at: RECEIVED }
  expect(runRow(running, undefined).lease_expires_at).toBe(RECEIVED)
  expect(runRow({ ...running, waiting_on: { kind: 'job', id: 'j' } }, undefined).lease_expires_at).toBeNull()
})

it.each(['null', '[]', '1', '"x"', '{'])('%s is no document', (text) => {
  expect(() => parseDocument(text)).toThrow()
})
