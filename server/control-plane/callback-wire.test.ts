/** What the NotebookLM Backend sends to the control plane, over HTTP. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addJob, call, jobLine, openRoom, type Room } from '#server/jobs/testing/queue-room.ts'
import { signBody } from '#server/outbound/callback-signature.ts'
import {
  ADMIN_KEY,
  type ControlPlaneProcess,
  controlPlaneEnv,
  runControlPlane,
} from './testing/control-plane-process.ts'
import { type Sent, sendTo } from './testing/wire-client.ts'

const SECRETS = controlPlaneEnv({})

let room: Room
let plane: ControlPlaneProcess
beforeAll(async () => {
  room = await openRoom(4)
  plane = await runControlPlane({ DATABASE_URL: room.planeUrl })
})
afterAll(async () => {
  await plane?.stop('SIGKILL')
  await room?.close()
})
const send = (address: string, sent?: Sent) => sendTo(plane.url, address, sent)

test('an admin is judged by the admin key, whatever bearer comes with it', async () => {
  const address = `PATCH /jobs/${randomUUID()}/status`
  const body = { status: 'FAILED', reason: 'given up' }
  const other = { authorization: 'Bearer of-a-proxy' }
  expect((await send(address, { body, headers: other })).status).toBe(404)
  const token = { authorization: `Bearer ${SECRETS.MEMBRIDGE_CALLBACK_TOKEN}`, 'x-membridge-admin': 'wrong' }
  expect((await send(address, { body, headers: token })).status).toBe(401)
})

describe('what the NotebookLM Backend sends', () => {
  const token = { authorization: `Bearer ${SECRETS.MEMBRIDGE_CALLBACK_TOKEN}`, 'x-membridge-admin': '' }
  const signed = (body: string) => ({
    body,
    headers: {
      ...token,
      ...signBody(SECRETS.MEMBRIDGE_CALLBACK_SIGNING_KEY as string, randomUUID(), new Date(), body),
    },
  })
  const callbacks = async (id: string) =>
    (await room.web.db.query(sql`SELECT 1 FROM job_callback WHERE job_id = ${id}`)).rowCount

  test('is taken with its token and signature, once', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    const message = signed(
      JSON.stringify({ job_id: id, status: 'COMPLETE', artifact_id: `art-${randomUUID()}` }),
    )
    for (const _ of [1, 2]) {
      const { status, text } = await send(`POST /jobs/${id}/result`, message)
      expect([status, text]).toEqual([200, '{"received":true}'])
    }
    expect(await callbacks(id)).toBe(1)
    const unknown = randomUUID()
    const body = JSON.stringify({ job_id: unknown, status: 'COMPLETE' })
    expect((await send(`POST /jobs/${unknown}/result`, signed(body))).status).toBe(200)
  })

  test('is a report at the address where an admin fails jobs, and fails none itself', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    const body = JSON.stringify({ status: 'FAILED', code: 'RATE_LIMIT', message: 'slow' })
    expect((await send(`PATCH /jobs/${id}/status`, signed(body))).text).toBe('{"received":true}')
    expect((await jobLine(room.db, id)).status).toBe('NOTEBOOKLM_CALL')
    expect(await callbacks(id)).toBe(1)
  })

  test('is refused with another bearer, however well it is signed', async () => {
    const id = await addJob(room.db)
    const { body, headers } = signed(JSON.stringify({ job_id: id, status: 'COMPLETE' }))
    const authorization = `Bearer ${SECRETS.MEMBRIDGE_AGENT_KEY}`
    for (const address of [`POST /jobs/${id}/result`, `PATCH /jobs/${id}/status`])
      expect((await send(address, { body, headers: { ...headers, authorization } })).status).toBe(401)
    expect(await callbacks(id)).toBe(0)
  })

  test.each<[string, Record<string, string>]>([
    ['the admin key', { 'x-membridge-admin': ADMIN_KEY }],
    ['the agent key', { authorization: `Bearer ${SECRETS.MEMBRIDGE_AGENT_KEY}`, 'x-membridge-admin': '' }],
    ['a token without a signature', token],
    ['nothing', { 'x-membridge-admin': '' }],
  ])('is refused with %s', async (_, headers) => {
    const id = await addJob(room.db)
    const body = { job_id: id, status: 'COMPLETE' }
    const { status, json } = await send(`POST /jobs/${id}/result`, { body, headers })
    expect([status, Object.keys(json)]).toEqual([401, ['detail']])
    expect(await callbacks(id)).toBe(0)
  })
})
