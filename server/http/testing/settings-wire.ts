/** The surface of BLOOM Runtime over HTTP, on a port of its own, with two control planes to choose from. */
import sql from 'sql-template-tag'
import { runtimeConfig } from '#contracts/runtime-settings.contract.ts'
import { workerView } from '#contracts/worker.contract.ts'
import { joinNode } from '#server/runtime/testing/runtime-room.ts'
import { onPort } from '#server/runtime/testing/scripted-node.ts'
import { controlPlane, standIn } from '#server/runtime/testing/stand-in-server.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { OF_THIS_MACHINE } from './gateway.ts'
import { codeOf, R, workerName } from './runtime-wire.ts'
import { holdStill, type WholeGateway, wholeGateway } from './whole-gateway.ts'

export const KEY = 'first-admin-key-1234'
export const OTHER_KEY = 'other-admin-key-5678'

export type Headers = Record<string, string>
export type SettingsWire = Awaited<ReturnType<typeof openSettingsWire>>

/** `plane` takes `KEY`, `other` the other one. */
export async function openSettingsWire() {
  const whole = await wholeGateway()
  const port = await onPort(whole.app)
  const [plane, other] = await Promise.all([standIn(controlPlane(KEY)), standIn(controlPlane(OTHER_KEY))])
  const as = await headersOf(whole)
  /** All that was answered. */
  const answers: string[] = []

  async function call(at: string, body?: unknown, headers: Headers = as.owner) {
    const [method = 'GET', address = ''] = at.split(' ')
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(`${port.url}${address}`, { method, headers, ...sent })
    const text = await answer.text()
    answers.push(text + JSON.stringify([...answer.headers]))
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    const json: unknown = isJson ? JSON.parse(text) : null
    return { status: answer.status, headers: answer.headers, text, json, code: codeOf(json) }
  }

  return {
    ...{ whole, plane, other, as, answers, call },
    configure: (url: string, key?: string | null, headers?: Headers) =>
      call(
        `POST ${R}/config`,
        { membridge_server_url: url, ...(key === undefined ? {} : { admin_key: key }) },
        headers,
      ),
    /** A worker under a name of its own, joined, as its node registers it. */
    register: async (more: object = {}) => {
      const worker = { name: workerName(), capabilities: {}, ...more }
      const { 'x-runtime-api-key': _, ...headers } = as.machine
      const node = { ...headers, 'x-membridge-agent': await joinNode(whole.services.db, worker.name) }
      return workerView.parse((await call(`POST ${R}/workers`, worker, node)).json)
    },
    testIt: (headers?: Headers) => call(`POST ${R}/test-connection`, undefined, headers),
    config: async () => runtimeConfig.parse((await call(`GET ${R}/config`)).json),
    /** The newest events of these names, the newest first. */
    eventsOf: async (names: string[]) =>
      (
        await whole.services.db.query<{ name: string; actor: string; outcome: string; details: object }>(
          sql`SELECT name, actor, outcome, details FROM event WHERE name = ANY(${names}) ORDER BY id DESC LIMIT 5`,
        )
      ).rows,
    /** As nobody had configured or called anything. */
    reset: async () => {
      await whole.services.db.query(sql`DELETE FROM rate_slice`)
      await whole.services.db.query(sql`UPDATE runtime_config SET server_url = NULL, admin_key = NULL, revision = revision + 1,
          tested_url = NULL, tested_at = NULL, fault = NULL, message = NULL, consecutive_failures = 0, last_success_at = NULL`)
      plane.behave(controlPlane(KEY))
      other.behave(controlPlane(OTHER_KEY))
      plane.received.length = 0
      other.received.length = 0
    },
    close: async () => {
      await Promise.all([plane.close(), other.close(), port.close()])
      await whole.close()
    },
  }
}

/** Of each kind of caller; `fresh` is an owner without a password of the last five minutes. */
async function headersOf(whole: WholeGateway) {
  const { env } = whole.services
  const bearer = async (session: Parameters<typeof whole.open>[0], hold = true) => {
    const opened = await whole.open(session)
    if (hold) await holdStill(whole, opened.sid)
    return whole.bearer(opened)
  }
  const zone = await createZone(
    whole.services,
    { name: 'Z', description: '', folders: ['notes'], tags: [], minutes: 60 },
    { role: 'owner', identity: 'owner', via: 'console' },
  )
  if (!zone.ok) throw new Error('no zone')
  const { zone_id, expires_at } = zone.value.zone
  const shown = { zoneId: zone_id, expiresAt: new Date(expires_at), consentVersion: 1 }
  const { host: _, ...stamped } = OF_THIS_MACHINE
  const machine: Headers = {
    ...{ ...stamped, 'content-type': 'application/json' },
    'x-runtime-api-key': env.RUNTIME_API_KEY,
  }
  return {
    owner: await bearer({ via: 'api' }),
    fresh: await bearer({ via: 'api' }, false),
    operator: await bearer({ role: 'operator', identity: 'operator:olena' }),
    busy: await bearer({ role: 'operator', identity: 'operator:busy' }),
    guest: await bearer({ role: 'guest', identity: `zone:${zone_id}`, zone: shown }),
    machine,
  }
}
