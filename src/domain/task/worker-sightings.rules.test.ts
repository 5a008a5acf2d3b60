import { describe, expect, test } from 'vitest'
import { type Sighting, sightings } from './worker-sightings.rules.ts'

const NOW = 1_000_000
const CAN = { claude_cli: true, max_concurrency: 2, labels: ['gpu'] }
const agent = (name: string, more: object = {}) => ({
  name,
  registered_at: NOW - 500,
  last_seen: null,
  ...more,
})
const node = (node_id: string, more: object = {}) => ({
  ...{ node_id, registered_at: NOW - 900, last_seen: NOW - 9, ip_addrs: ['10.0.0.9'] },
  ...more,
})
const seen = (agents: ReturnType<typeof agent>[], nodes: ReturnType<typeof node>[] = []) =>
  sightings({ agents, nodes }, NOW)
const only = (agents: ReturnType<typeof agent>[], nodes?: ReturnType<typeof node>[]): Partial<Sighting> => {
  const found = seen(agents, nodes)
  expect(found).toHaveLength(1)
  return found[0] ?? {}
}

describe('an agent and the nodes of its name are one', () => {
  test('with what each of them says', () => {
    const url = 'http://rpi:8001'
    expect(
      seen(
        [agent('rpi', { url, capabilities: CAN, last_seen: NOW - 30, agent_version: '0.3' })],
        [node('rpi', { agent_version: '0.4' }), node('alpine')],
      ),
    ).toEqual([
      {
        ...{ name: 'alpine', url: null, capabilities: null, ip_addrs: ['10.0.0.9'], agent_version: null },
        ...{ silent_seconds: 9, known_ago: 900 },
      },
      {
        ...{ name: 'rpi', url, capabilities: CAN, ip_addrs: ['10.0.0.9'], agent_version: '0.4' },
        ...{ silent_seconds: 9, known_ago: 500 },
      },
    ])
  })

  test('the freshest of several tells where it is, and how it is', () => {
    const stale = node('rpi', { last_seen: NOW - 700, ip_addrs: ['10.0.0.1'], agent_version: '0.1' })
    const fresh = node('rpi', { last_seen: NOW - 2, agent_version: '0.9' })
    for (const nodes of [
      [stale, fresh],
      [fresh, stale],
    ])
      expect(only([], nodes)).toMatchObject({
        ip_addrs: ['10.0.0.9'],
        agent_version: '0.9',
        silent_seconds: 2,
      })
  })

  test('one that was registered again is as new as its registration, a node as old as its oldest', () => {
    expect(only([agent('rpi', { registered_at: NOW - 5 })], [node('rpi')])).toMatchObject({ known_ago: 5 })
    const nodes = [node('rpi'), node('rpi', { registered_at: NOW - 5 })]
    expect(only([], nodes)).toMatchObject({ known_ago: 900 })
  })
})

test.each<[string, object, number | null]>([
  ['was seen lately', { status: 'online', last_seen: NOW - 7 }, 7],
  ['was never seen and says nothing of its status', {}, null],
  ['is of unknown status', { status: 'unknown' }, null],
  ['said that it is online', { status: 'online' }, 500],
  ['is offline', { status: 'offline', last_seen: NOW - 700 }, 700],
  ['has a clock ahead', { last_seen: NOW + 90 }, 0],
])('an agent that %s', (_, more, silence) => {
  expect(only([agent('rpi', more)])).toMatchObject({ silent_seconds: silence })
})

test('an unknown status does not make what was seen older', () => {
  expect(only([agent('rpi', { status: 'unknown' })], [node('rpi')])).toMatchObject({ silent_seconds: 9 })
  const fresh = agent('rpi', { status: 'unknown', last_seen: NOW - 3 })
  expect(only([fresh], [node('rpi', { last_seen: null })])).toMatchObject({ silent_seconds: 3 })
})

test.each<[string, object | null | undefined, object | null]>([
  ['nothing', undefined, null],
  ['null', null, null],
  ['what a registration without any gets', { claude_cli: false, max_concurrency: 1, labels: [] }, null],
  ['that it has no program', { claude_cli: false, max_concurrency: 1, labels: ['x'] }, { claude_cli: false }],
  ['what it can do', CAN, CAN],
])('an agent that declares %s', (_, capabilities, found) => {
  const { capabilities: got } = only([agent('rpi', { capabilities })])
  if (found) expect(got).toMatchObject(found)
  else expect(got).toBeNull()
})
