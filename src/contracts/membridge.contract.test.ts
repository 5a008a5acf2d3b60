import { describe, expect, it } from 'vitest'
import { heartbeatRequest, registerAgentRequest, registerProjectRequest } from './membridge.contract.ts'

const CID = 'aeeafec3a5b5710f'
const required = { node_id: 'rpi4b', canonical_id: CID }
const nothing = { obs_count: null, db_sha: null, project_id: null, agent_version: null, ip_addrs: [] }

describe('a heartbeat', () => {
  it('needs a node and a project id, and no more', () => {
    expect(heartbeatRequest.parse(required)).toMatchObject({ ...required, obs_count: null, ip_addrs: [] })
  })

  it.each([
    [{ obs_count: null }, { obs_count: null }],
    [{ obs_count: 1234 }, { obs_count: 1234 }],
    [{ obs_count: 1234.9 }, { obs_count: 1234 }],
    [{ obs_count: '1234' }, { obs_count: 1234 }],
    [{ db_sha: null, project_id: null, agent_version: null, ip_addrs: null }, nothing],
    [
      { db_sha: '', project_id: ' ', agent_version: '' },
      { db_sha: null, project_id: null, agent_version: null },
    ],
    [
      { db_sha: 'deadbeef', agent_version: '0.4.0' },
      { db_sha: 'deadbeef', agent_version: '0.4.0' },
    ],
    [{ project_id: ' garden-seedling ' }, { project_id: 'garden-seedling' }],
    [{ ip_addrs: ['192.168.1.10', 'fe80::1%eth0'] }, { ip_addrs: ['192.168.1.10', 'fe80::1%eth0'] }],
    [{ last_seen: 1700000000.25 }, { last_seen: '1700000000.25' }],
    [{ last_seen: '2026-03-02T10:00:00Z' }, { last_seen: '"2026-03-02T10:00:00Z"' }],
    [{ last_seen: { registered: [1] } }, { last_seen: '{"registered":[1]}' }],
    [{ last_seen: null }, { last_seen: null }],
    [{ node_id: ' rpi4b ', canonical_id: ` ${CID}\n` }, required],
  ])('takes %j', (sent, read) => expect(heartbeatRequest.parse({ ...required, ...sent })).toMatchObject(read))

  it('leaves out what it does not know', () => {
    expect(heartbeatRequest.parse({ ...required, load: 3, capabilities: {} })).not.toHaveProperty('load')
  })

  it.each([
    [{ node_id: undefined }, 'node_id'],
    [{ node_id: '' }, 'node_id'],
    [{ node_id: 7 }, 'node_id'],
    [{ node_id: '../../etc' }, 'node_id'],
    [{ node_id: 'a\0b' }, 'node_id'],
    [{ node_id: 'a'.repeat(129) }, 'node_id'],
    [{ canonical_id: undefined }, 'canonical_id'],
    [{ canonical_id: '..' }, 'canonical_id'],
    [{ canonical_id: 'a/b' }, 'canonical_id'],
    [{ canonical_id: 'a'.repeat(65) }, 'canonical_id'],
    [{ obs_count: 'many' }, 'obs_count'],
    [{ obs_count: true }, 'obs_count'],
    [{ obs_count: [1] }, 'obs_count'],
    [{ db_sha: 7 }, 'db_sha'],
    [{ db_sha: 'a'.repeat(129) }, 'db_sha'],
    [{ project_id: 'a\nb' }, 'project_id'],
    [{ ip_addrs: '192.168.1.10' }, 'ip_addrs'],
    [{ ip_addrs: Array(65).fill('::1') }, 'ip_addrs'],
  ])('refuses %j', (sent, field) => {
    const { error } = heartbeatRequest.safeParse({ ...required, ...sent })
    expect(error?.issues.map(({ path }) => path[0])).toEqual([field])
  })
})

describe('the registration of an agent', () => {
  const plain = { claude_cli: false, max_concurrency: 1, labels: [] }
  it.each([
    [{}, { url: null, status: 'unknown', capabilities: plain }],
    [
      { url: null, status: null, capabilities: null },
      { url: null, status: 'unknown', capabilities: plain },
    ],
    [{ url: 'http://192.168.3.184:8001/' }, { url: 'http://192.168.3.184:8001' }],
    [{ url: 'https://node.example.org/agent//' }, { url: 'https://node.example.org/agent' }],
    [{ status: 'online' }, { status: 'online' }],
    [
      { capabilities: { claude_cli: true, labels: ['production'], gpu: 1 } },
      { capabilities: { claude_cli: true, max_concurrency: 1, labels: ['production'] } },
    ],
  ])('takes %j', (sent, read) =>
    expect(registerAgentRequest.parse({ name: 'rpi4b', ...sent })).toEqual({
      ...{ name: 'rpi4b', url: null, status: 'unknown', capabilities: plain },
      ...read,
    }),
  )

  it.each([
    [{ name: '' }],
    [{ name: 'a'.repeat(129) }],
    [{ url: 'ftp://node/' }],
    [{ url: 'node:8001' }],
    [{ url: 'file:///etc/passwd' }],
    [{ url: 'http://admin:secret@node:8001' }],
    [{ url: 'http://node:8001/?key=1' }],
    [{ url: 'http://no de:8001' }],
    [{ status: '' }],
    [{ capabilities: { max_concurrency: -1 } }],
    [{ capabilities: { labels: 'gpu' } }],
    [{ capabilities: [] }],
  ])('refuses %j', (sent) =>
    expect(registerAgentRequest.safeParse({ name: 'rpi4b', ...sent }).success).toBe(false),
  )
})

it.each([
  [{ name: 'garden-seedling' }, true],
  [{ name: ' Сад ', owner: 'ignored' }, true],
  [{ name: 'a'.repeat(128) }, true],
  [{ name: 'a'.repeat(129) }, false],
  [{ name: '  ' }, false],
  [{ name: 'a\tb' }, false],
  [{}, false],
  [{ name: null }, false],
])('a project may be registered as %j: %s', (sent, admitted) =>
  expect(registerProjectRequest.safeParse(sent).success).toBe(admitted),
)
