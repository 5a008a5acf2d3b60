/** Who is let in, by key, by origin, and by both. */

import os from 'node:os'
import { describe, expect, test } from 'vitest'
import { nodeHealthAnswer, nodeHealthShort } from '#contracts/node-agent.contract.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { AGENT_KEY, callAgent, runAgentProcess } from '../testing/agent-process.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { type Access, type AccessSettings, admit } from './access.ts'
import type { AgentRefusal } from './agent-refusal.ts'

const SETTINGS: AccessSettings = {
  MEMBRIDGE_AGENT_KEY: 'the key of this node',
  ALLOW_INSECURE_LAN: false,
  TRUSTED_PROXIES: ['10.0.0.9'],
}
const KEY = { 'x-membridge-agent': 'the key of this node' }
const WRONG = { 'x-membridge-agent': 'the key of that node' }
const JSON_BODY = { 'content-type': 'application/json; charset=utf-8' }
const LOCAL = { host: 'localhost:8001' }
const LAN = { host: '192.168.3.184:8001' }
const TLS = { ...LAN, 'x-forwarded-proto': 'https', 'x-forwarded-for': '1.2.3.4' }

type Row = [
  who: string,
  peer: string,
  headers: Record<string, string>,
  open: number,
  exempt: number,
  key: number,
]
const ROWS: Row[] = [
  ['a program of this machine', '127.0.0.1', { ...LOCAL, ...JSON_BODY }, 200, 200, 401],
  ['it over IPv6', '::1', { host: '[::1]:8001', ...JSON_BODY }, 200, 200, 401],
  ['it over a mapped address', '::ffff:127.0.0.1', { host: '127.0.0.1', ...JSON_BODY }, 200, 200, 401],
  ['it with the key', '127.0.0.1', { ...LOCAL, ...KEY }, 200, 200, 200],
  ['it with a wrong key', '127.0.0.1', { ...LOCAL, ...WRONG, ...JSON_BODY }, 200, 200, 401],
  ['it with an empty key', '127.0.0.1', { ...LOCAL, 'x-membridge-agent': '', ...JSON_BODY }, 200, 200, 401],
  ['a form of a page', '127.0.0.1', { ...LOCAL, 'content-type': 'text/plain' }, 200, 401, 401],
  ['a page under its own name', '127.0.0.1', { host: 'evil.example', ...JSON_BODY }, 200, 401, 401],
  ['a program without Host', '127.0.0.1', JSON_BODY, 200, 401, 401],
  [
    'an address that looks alike',
    '127.0.0.1',
    { host: '127.0.0.1.evil.example', ...JSON_BODY },
    200,
    401,
    401,
  ],
  ['a proxy beside us', '127.0.0.1', { ...LOCAL, via: '1.1 x', ...JSON_BODY }, 200, 401, 401],
  ['the same with the key', '127.0.0.1', { ...LOCAL, via: '1.1 x', ...KEY }, 403, 403, 403],
  ['the network', '192.168.3.7', { ...LOCAL, ...JSON_BODY }, 200, 401, 401],
  ['the network with the key', '192.168.3.7', { ...LAN, ...KEY }, 403, 403, 403],
  ['a program of this machine by its own address', '192.168.3.184', { ...LAN, ...KEY }, 200, 200, 200],
  ['it without the key', '192.168.3.184', { ...LAN, ...JSON_BODY }, 200, 401, 401],
  ['it behind a proxy', '192.168.3.184', { ...TLS, ...KEY }, 403, 403, 403],
  ['the network with a wrong key', '192.168.3.7', { ...LAN, ...WRONG }, 403, 403, 403],
  ['the proxy', '10.0.0.9', { ...TLS, ...JSON_BODY }, 200, 401, 401],
  ['the proxy with the key', '::ffff:10.0.0.9', { ...TLS, ...KEY }, 200, 200, 200],
  ['the proxy with a wrong key', '10.0.0.9', { ...TLS, ...WRONG }, 200, 401, 401],
  [
    'the proxy that took it in clear',
    '10.0.0.9',
    { ...TLS, 'x-forwarded-proto': 'https, http', ...KEY },
    403,
    403,
    403,
  ],
  [
    'the proxy that does not say',
    '10.0.0.9',
    { ...LAN, 'x-forwarded-for': '1.2.3.4', ...KEY },
    403,
    403,
    403,
  ],
  ['somebody who says the same', '10.0.0.8', { ...TLS, ...KEY }, 403, 403, 403],
]

/** Where the requests of the rows arrive. */
const HERE = '192.168.3.184'

function statusFor(access: Access, [, peer, headers]: Row, settings = SETTINGS): number {
  try {
    admit({ method: 'POST', peer, local: HERE, headers }, access, settings)
    return 200
  } catch (error) {
    return (error as AgentRefusal).status
  }
}

describe.each(ROWS)('%s', (...row) => {
  test.each([
    ['open', row[3]],
    ['key or this machine', row[4]],
    ['key', row[5]],
  ] as const)('of what is %s: %d', (access, status) => expect(statusFor(access, row)).toBe(status))
})

test('a node that accepts keys in clear asks for the right one all the same', () => {
  const insecure = { ...SETTINGS, ALLOW_INSECURE_LAN: true }
  const statuses = ROWS.map((row) => [row[0], statusFor('key', row, insecure)])
  const wanted = ROWS.map(([who, , headers]) => [
    who,
    headers['x-membridge-agent'] === KEY['x-membridge-agent'] ? 200 : 401,
  ])
  expect(statuses).toEqual(wanted)
})

test('a node without a key opens nothing, and says which variable it lacks', async () => {
  const { url } = await runAgentProcess(makeNodeHome(), { MEMBRIDGE_AGENT_KEY: '' })
  for (const key of ['', 'anything']) {
    const answer = await callAgent(url, 'POST /push', {
      body: { project: 'mem' },
      headers: { 'x-membridge-agent': key },
    })
    expect([answer.status, answer.json.detail]).toEqual([
      500,
      expect.stringMatching(/^MEMBRIDGE_AGENT_KEY not/),
    ])
  }
  const body = { project_id: 'mem' }
  const own = await callAgent(url, 'POST /register_project', { body, headers: { 'x-membridge-agent': '' } })
  expect(own.status).toBe(200)
  const forwarded = { 'x-membridge-agent': '', forwarded: 'for=1.2.3.4' }
  expect((await callAgent(url, 'POST /register_project', { body, headers: forwarded })).status).toBe(401)
})

const outside = Object.values(os.networkInterfaces())
  .flatMap((of) => of ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address

test('over the network a key is refused unless the owner accepts it, or a program of this machine shows it', async (context) => {
  if (outside === undefined) return lacking(context, 'a network besides the loopback')
  const from = async (env: Record<string, string>) => {
    const agent = await runAgentProcess(makeNodeHome(), { MEMBRIDGE_AGENT_HOST: '0.0.0.0', ...env })
    return agent.url.replace('127.0.0.1', outside)
  }
  const strict = await from({ TRUSTED_PROXIES: '203.0.113.1' })
  const nobody = { 'x-membridge-agent': '' }
  const short = await callAgent(strict, 'GET /health', { headers: nobody })
  expect(short.json).toEqual(nodeHealthShort.strict().parse(short.json))
  expect((await callAgent(strict, 'GET /projects', { headers: nobody })).status).toBe(401)
  expect((await callAgent(strict, 'GET /projects')).json).toEqual([])
  expect(await callAgent(strict, 'GET /projects', { headers: { via: '1.1 x' } })).toMatchObject({
    status: 403,
    json: { detail: expect.stringContaining('ALLOW_INSECURE_LAN=1') },
  })
  const insecure = await from({ ALLOW_INSECURE_LAN: '1' })
  expect((await callAgent(insecure, 'GET /projects')).json).toEqual([])
  nodeHealthAnswer.parse((await callAgent(insecure, 'GET /health')).json)
  const wrong = await callAgent(insecure, 'GET /health', {
    headers: { 'x-membridge-agent': `${AGENT_KEY}x` },
  })
  expect(wrong.json).toEqual(short.json)
})
