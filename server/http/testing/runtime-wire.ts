/** The surface of BLOOM Runtime called as over HTTP: by the key of the runtime unless other headers are given, and by sessions of people. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { z } from 'zod'
import { grantedLease, taskView } from '#contracts/llm-task.contract.ts'
import { workerView } from '#contracts/worker.contract.ts'
import { PEER_HEADER } from '#server/auth/request-facts.ts'
import { WIRE_CLIENTS } from '#server/control-plane/testing/wire-clients.ts'
import { onPort } from '#server/runtime/testing/scripted-node.ts'
import { stampPeerAddresses } from '../peer-address.ts'
import { OF_THIS_MACHINE } from './gateway.ts'
import { holdStill, wholeGateway } from './whole-gateway.ts'

export const R = '/api/runtime'
export const JSON_TYPE = { 'content-type': 'application/json' }

/** A client that shares nothing with the server: `npm run wire` has all of this asked by each of them. */
const OTHER_CLIENT = WIRE_CLIENTS.find(({ tool }) => tool === process.env.WIRE_CLIENT)

const HERE = '127.0.0.1'

type Options = { headers?: Record<string, string> | undefined; raw?: string }

export type RuntimeWire = Awaited<ReturnType<typeof openRuntimeWire>>

export async function openRuntimeWire() {
  if (OTHER_CLIENT) stampPeerAddresses()
  const whole = await wholeGateway()
  const { db, env } = whole.services
  const machine: Record<string, string> = {
    ...OF_THIS_MACHINE,
    ...JSON_TYPE,
    'x-runtime-api-key': env.RUNTIME_API_KEY,
  }
  const bearer = async (session: Parameters<typeof whole.open>[0]) => {
    const opened = await whole.open(session)
    await holdStill(whole, opened.sid)
    return whole.bearer(opened)
  }
  const call = async (at: string, body?: unknown, { headers = machine, raw }: Options = {}) => {
    const [method = 'GET', path = ''] = at.split(' ')
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const answer = await send(method, path, headers, sent)
    const { text } = answer
    const json: unknown = text === '' ? null : JSON.parse(text)
    return { status: answer.status, headers: answer.headers, text, json, code: codeOf(json) }
  }
  const port = OTHER_CLIENT ? await onPort(whole.app) : null
  /** Within this process, or by the client that `WIRE_CLIENT` names; from an address that this machine does not have only within. */
  async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
    const isFromHere = (headers[PEER_HEADER] ?? HERE) === HERE
    if (OTHER_CLIENT && port && isFromHere) {
      const [answer] = await OTHER_CLIENT.send([
        { method, url: `${port.url}${path}`, headers, body: body ?? null },
      ])
      if (!answer) throw new Error(`no answer to ${method} ${path}`)
      return { ...answer, headers: new Headers(answer.headers) }
    }
    const answer = await whole.app.request(path, {
      ...{ method, headers },
      ...(body === undefined ? {} : { body }),
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const addWorker = async () => {
    const worker = { name: workerName(), url: 'http://127.0.0.1:1', capabilities: { max_concurrency: 4 } }
    return workerView.parse((await call(`POST ${R}/workers`, worker)).json)
  }
  const addTask = async (more: object = {}) =>
    taskView.parse((await call(`POST ${R}/llm-tasks`, taskOf(more))).json)
  return {
    ...{ whole, machine, call, addTask, addWorker },
    owner: await bearer({ via: 'api' }),
    operator: await bearer({ role: 'operator', identity: 'operator:olena' }),
    /** A task with the lease that a worker of its own has of it. */
    leased: async (more: object = {}) => {
      const [task, worker] = [await addTask(more), await addWorker()]
      const { json } = await call(`POST ${R}/llm-tasks/${task.id}/lease`, { worker_id: worker.id })
      return { task, worker, lease: z.object({ lease: grantedLease }).parse(json).lease }
    },
    /** A hundred requests a minute are fewer than these tests send. */
    forgetRequests: () => db.query(sql`DELETE FROM rate_slice`),
    close: async () => {
      await port?.close()
      await whole.close()
    },
  }
}

const refused = z
  .object({ code: z.string().optional().catch(undefined) })
  .nullable()
  .catch(null)

/** The code of a refusal; an answer of any other form has none. */
export const codeOf = (json: unknown): string | undefined => refused.parse(json)?.code

export const workerName = () => `w-${randomUUID().slice(0, 8)}`
export const taskOf = (more: object = {}) => ({
  ...{ context_id: 'c', agent_slug: 'writer', prompt: 'What is new?' },
  ...more,
})
export const success = (output = 'Spring.', more: object = {}) => ({
  ...{ status: 'success', output, metrics: { duration_ms: 12.4, tokens_used: null } },
  ...more,
})
