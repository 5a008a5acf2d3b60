/** The wire of the agent, as clients speak it that share nothing with it. */

import os from 'node:os'
import { expect, test } from 'vitest'
import { nodeHealthAnswer, nodeHealthShort } from '#contracts/node-agent.contract.ts'
import { isInstalled, WIRE_CLIENTS, type WireRequest } from '#server/control-plane/testing/wire-clients.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { AGENT_CASES, type AgentCase } from '../testing/agent-cases.ts'
import { AGENT_KEY, callAgent, runAgentProcess } from '../testing/agent-process.ts'
import { makeNodeHome } from '../testing/node-home.ts'

const KEYS: Record<NonNullable<AgentCase['key']>, Record<string, string>> = {
  right: { 'X-MEMBRIDGE-AGENT': AGENT_KEY },
  none: {},
  wrong: { 'X-MEMBRIDGE-AGENT': `${AGENT_KEY}x` },
  admin: { 'X-MEMBRIDGE-ADMIN': AGENT_KEY, Authorization: `Bearer ${AGENT_KEY}` },
}

function requestOf(one: AgentCase, origin: string, id: string): WireRequest {
  const { at, body, type = 'application/json', key = 'right', headers = {} } = one
  const [method = '', path = ''] = at.split(' ')
  const json: Record<string, string> = body === undefined || type === '' ? {} : { 'Content-Type': type }
  return {
    ...{ method, url: `${origin}${path}` },
    headers: { ...KEYS[key], ...json, 'X-Request-ID': id, ...headers },
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

const placeless = (text: string): string =>
  text
    .replaceAll(/(?<="(?:created_at|last_seen)":)\d{10}(?:\.\d{1,3})?\b/g, '<t>')
    .replaceAll(`"hostname":"${os.hostname()}"`, '"hostname":"<host>"')

const ALL = `$tool gets every status, field and byte of ${AGENT_CASES.length} cases`

test.for(WIRE_CLIENTS)(ALL, async ({ tool, send }, context) => {
  if (!isInstalled(tool)) lacking(context, tool)
  const agent = await runAgentProcess(makeNodeHome(), { MEMBRIDGE_AGENT_DRYRUN: '1' })
  const answers = await send(AGENT_CASES.map((one, n) => requestOf(one, agent.url, `case ${n}`)))
  const got = AGENT_CASES.map(({ name }, n) => {
    const { status, text, type, id } = answers[n] ?? { status: 0, text: '', type: '', id: '' }
    return { name, status, type, id, answer: placeless(text) }
  })
  const wanted = AGENT_CASES.map(({ name, status, answer }, n) => ({
    ...{ name, status, type: 'application/json; charset=utf-8', id: `case ${n}`, answer },
  }))
  expect(got).toEqual(wanted)
})

test('health tells programs of this machine and holders of the key more than others', async () => {
  const { url } = await runAgentProcess(makeNodeHome(), {
    MEMBRIDGE_SERVER_URL: 'http://who:what@127.0.0.1:1/base/?key=x',
  })
  const own = await callAgent(url, 'GET /health', { headers: { 'x-membridge-agent': '' } })
  expect(own.text).toMatch(/^\{"status":"ok","service":"membridge-agent",/)
  const health = nodeHealthAnswer.strict().parse(own.json)
  expect(health).toMatchObject({ hostname: os.hostname(), node_id: 'test-node', projects_count: 0 })
  expect(health).toMatchObject({ heartbeat_interval: 10, server_url: 'http://127.0.0.1:1/base' })
  const short = await callAgent(url, 'GET /health', {
    headers: { 'x-membridge-agent': '', 'x-forwarded-for': '10.0.0.1' },
  })
  expect(short.json).toEqual(nodeHealthShort.strict().parse(short.json))
})

test('a request id that cannot stand in a log line is replaced', async () => {
  const { url } = await runAgentProcess(makeNodeHome())
  const { headers } = await callAgent(url, 'GET /health', { headers: { 'x-request-id': 'a'.repeat(129) } })
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}$/)
  const kept = await callAgent(url, 'GET /health', { headers: { 'x-request-id': ' A1 ' } })
  expect(kept.headers.get('x-request-id')).toBe('A1')
})
