import type { ObjectStore } from '#server/ports/object-store.ts'

/**
 * What existing clients send and what they get, in the order of one life of a fresh instance. `<t>` in an answer stands for a time in seconds;
 * everything else is compared byte by byte, and so are names, order and types of the fields.
 */
export type WireCase = {
  name: string
  at: string
  /** The whole body; an object is sent as compact JSON. */
  body?: string | object
  /** The headers that carry a key; the admin key by default. */
  keys?: 'admin' | 'none' | 'wrong' | 'other kind'
  status: number
  answer: string
  /** What others have done to the store before. */
  before?: (store: ObjectStore) => Promise<unknown>
}

export const CID = 'aeeafec3a5b5710f'
const UNAUTHORIZED = '{"detail":"Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header"}'
const BEATEN = (cid: string) =>
  `{"ok":true,"role":"unknown","canonical_id":"${cid}","lease_state":"unreadable","epoch":null,"term":null}`
const MISSING = (...names: string[]) =>
  `{"detail":[${names.map((name) => `{"loc":["body","${name}"],"msg":"Field required","type":"missing"}`).join()}]}`
const misfit = (field: string, msg: string, type = 'custom') =>
  `{"detail":[{"loc":["body","${field}"],"msg":"${msg}","type":"${type}"}]}`
const ONE_LINE = 'must be one line of 1 to 128 characters'
const PLAIN = '{"claude_cli":false,"max_concurrency":1,"labels":[]}'
const SEEDLING = `{"name":"garden-seedling","canonical_id":"${CID}","created_at":<t>,"last_seen":null,"nodes_count":0,"source":"manual"}`

const ROUTES = [
  'GET /projects',
  'POST /projects',
  'DELETE /projects/garden-seedling',
  'GET /agents',
  'POST /agents',
  'DELETE /agents/rpi4b',
  'POST /agent/heartbeat',
  `GET /projects/${CID}/nodes`,
]
const refused: WireCase[] = ROUTES.flatMap((at) =>
  (['none', 'wrong', 'other kind'] as const).map((keys) => ({
    ...{ name: `${at}, key: ${keys}`, at, keys, status: 401, answer: UNAUTHORIZED },
    ...(at.startsWith('POST') ? { body: { name: 'x', node_id: 'x', canonical_id: 'x' } } : {}),
  })),
)

const fresh: WireCase[] = [
  { name: 'no projects', at: 'GET /projects', status: 200, answer: '[]' },
  { name: 'no agents', at: 'GET /agents', status: 200, answer: '[]' },
  { name: 'no nodes', at: `GET /projects/${CID}/nodes`, status: 200, answer: '[]' },
  { name: 'an id of no form', at: 'GET /projects/%2E%2E%2F/nodes', status: 200, answer: '[]' },
]

const projects: WireCase[] = [
  {
    ...{ name: 'a project', at: 'POST /projects', body: { name: 'garden-seedling', unknown: 1 } },
    ...{ status: 201, answer: SEEDLING },
  },
  {
    ...{ name: 'a second time', at: 'POST /projects', body: { name: 'garden-seedling' }, status: 409 },
    answer: `{"detail":"Project 'garden-seedling' already exists","code":"DUPLICATE_ENTRY"}`,
  },
  { name: 'without a name', at: 'POST /projects', body: {}, status: 422, answer: MISSING('name') },
  { name: 'with an empty body', at: 'POST /projects', body: '', status: 422, answer: MISSING('name') },
  {
    ...{ name: 'with a name too long', at: 'POST /projects', body: { name: 'a'.repeat(129) }, status: 422 },
    answer: misfit('name', ONE_LINE),
  },
  {
    ...{ name: 'that is no JSON', at: 'POST /projects', body: '{"name":', status: 400 },
    answer: '{"detail":"The body is not JSON in UTF-8.","code":"INVALID_JSON"}',
  },
  {
    ...{ name: 'of a megabyte', at: 'POST /projects', body: { name: 'a'.repeat(1_000_000) }, status: 413 },
    answer:
      '{"limit_bytes":102400,"detail":"The body is larger than 102400 bytes.","code":"PAYLOAD_TOO_LARGE"}',
  },
  {
    ...{ name: 'by another method', at: 'PUT /projects', body: {}, status: 405 },
    answer: '{"detail":"This address is called by another method."}',
  },
  { name: 'the list', at: 'GET /projects', status: 200, answer: `[${SEEDLING}]` },
]

const heartbeats: WireCase[] = [
  {
    ...{ name: 'of today’s nodes', at: 'POST /agent/heartbeat', status: 200, answer: BEATEN(CID) },
    body: {
      ...{
        node_id: 'rpi4b',
        canonical_id: CID,
        project_id: 'garden-seedling',
        obs_count: null,
        db_sha: null,
      },
      ...{ ip_addrs: ['192.168.3.184'], agent_version: '0.4.0', last_seen: 1_700_000_000.25 },
    },
  },
  {
    ...{ name: 'with a count as text and what nobody knows', at: 'POST /agent/heartbeat', status: 200 },
    body: { node_id: 'rpi4b', canonical_id: CID, obs_count: '1234', load: [0.1], last_seen: 'yesterday' },
    answer: BEATEN(CID),
  },
  {
    ...{ name: 'of the shortest form', at: 'POST /agent/heartbeat', status: 200, answer: BEATEN('mem.1') },
    body: { node_id: 'orange/pi:8001', canonical_id: 'mem.1' },
  },
  {
    ...{
      name: 'that announces a project',
      at: 'POST /agent/heartbeat',
      status: 200,
      answer: BEATEN('mem.1'),
    },
    body: { node_id: 'orange/pi:8001', canonical_id: 'mem.1', project_id: 'mem', obs_count: 7.9 },
  },
  {
    ...{ name: 'without a node', at: 'POST /agent/heartbeat', body: { canonical_id: CID }, status: 422 },
    answer: MISSING('node_id'),
  },
  {
    ...{ name: 'with an empty body', at: 'POST /agent/heartbeat', body: '', status: 422 },
    answer: MISSING('node_id', 'canonical_id'),
  },
  {
    ...{ name: 'of a node that climbs', at: 'POST /agent/heartbeat', status: 422 },
    body: { node_id: '../../etc', canonical_id: CID },
    answer: misfit('node_id', 'must be one line of 1 to 128 characters without \\"..\\"'),
  },
  {
    ...{
      name: 'with NUL',
      at: 'POST /agent/heartbeat',
      body: { node_id: 'a\0b', canonical_id: CID },
      status: 400,
    },
    answer: '{"detail":"A text holds a NUL character.","code":"BAD_REQUEST"}',
  },
  {
    ...{ name: 'with a count that is none', at: 'POST /agent/heartbeat', status: 422 },
    body: { node_id: 'rpi4b', canonical_id: CID, obs_count: 'many' },
    answer: misfit('obs_count', 'must be a number'),
  },
  {
    ...{ name: 'the nodes of the project', at: `GET /projects/${CID}/nodes`, status: 200 },
    answer: `[{"node_id":"rpi4b","canonical_id":"${CID}","role":"unknown","obs_count":1234,"db_sha":null,"last_seen":<t>,"ip_addrs":[],"registered_at":<t>,"project_id":"garden-seedling","agent_version":"0.4.0","online":true}]`,
  },
  {
    ...{ name: 'the list, with what was announced', at: 'GET /projects', status: 200 },
    answer: `[${SEEDLING.replace('"last_seen":null,"nodes_count":0', '"last_seen":<t>,"nodes_count":1')},{"name":"mem","canonical_id":"mem.1","created_at":<t>,"last_seen":<t>,"nodes_count":1,"source":"heartbeat"}]`,
  },
]

const agents: WireCase[] = [
  {
    ...{ name: 'an agent', at: 'POST /agents', body: { name: 'rpi4b', url: 'http://192.168.3.184:8001/' } },
    status: 201,
    answer: `{"name":"rpi4b","url":"http://192.168.3.184:8001","status":"unknown","registered_at":<t>,"last_seen":null,"capabilities":${PLAIN},"agent_version":null}`,
  },
  {
    ...{ name: 'without an address', at: 'POST /agents', status: 201 },
    body: {
      ...{ name: 'worker-01', status: 'online' },
      capabilities: { claude_cli: true, max_concurrency: 1, labels: ['production'] },
    },
    answer: `{"name":"worker-01","url":null,"status":"online","registered_at":<t>,"last_seen":null,"capabilities":{"claude_cli":true,"max_concurrency":1,"labels":["production"]},"agent_version":null}`,
  },
  {
    ...{ name: 'a second time', at: 'POST /agents', body: { name: 'rpi4b' }, status: 409 },
    answer: `{"detail":"Agent 'rpi4b' already registered","code":"DUPLICATE_ENTRY"}`,
  },
  {
    ...{ name: 'at an address of another kind', at: 'POST /agents', status: 422 },
    body: { name: 'x', url: 'file:///etc/passwd' },
    answer: misfit('url', 'must be an http or https address without credentials, query or fragment'),
  },
  {
    ...{ name: 'whose node beats', at: 'POST /agent/heartbeat', status: 200, answer: BEATEN(CID) },
    body: { node_id: 'rpi4b', canonical_id: CID, agent_version: '0.4.1' },
  },
  {
    ...{ name: 'the list', at: 'GET /agents', status: 200 },
    answer: `[{"name":"rpi4b","url":"http://192.168.3.184:8001","status":"online","registered_at":<t>,"last_seen":<t>,"capabilities":${PLAIN},"agent_version":"0.4.1"},{"name":"worker-01","url":null,"status":"online","registered_at":<t>,"last_seen":null,"capabilities":{"claude_cli":true,"max_concurrency":1,"labels":["production"]},"agent_version":null}]`,
  },
]

const removals: WireCase[] = [
  { name: 'a project', at: 'DELETE /projects/garden-seedling', status: 204, answer: '' },
  {
    ...{ name: 'a project that is gone', at: 'DELETE /projects/garden-seedling', status: 404 },
    answer: `{"detail":"Project 'garden-seedling' not found"}`,
  },
  {
    ...{
      name: 'a project whose name needs escapes',
      at: 'POST /projects',
      body: { name: 'a/б 1' },
      status: 201,
    },
    answer: `{"name":"a/б 1","canonical_id":"26e6f347010f2cef","created_at":<t>,"last_seen":null,"nodes_count":0,"source":"manual"}`,
  },
  { name: 'that project', at: 'DELETE /projects/a%2F%D0%B1%201', status: 204, answer: '' },
  {
    ...{ name: 'a name with NUL', at: 'DELETE /projects/a%00b', status: 400 },
    answer: '{"detail":"A text holds a NUL character.","code":"BAD_REQUEST"}',
  },
  { name: 'an agent', at: 'DELETE /agents/worker-01', status: 204, answer: '' },
  {
    ...{ name: 'an agent that is gone', at: 'DELETE /agents/worker-01', status: 404 },
    answer: `{"detail":"Agent 'worker-01' not found"}`,
  },
]

/** Under the room of the case. */
const of = (room: string, cases: readonly WireCase[]): WireCase[] =>
  cases.map((one) => ({ ...one, name: `${room}: ${one.name}` }))

export const REGISTRY_CASES: readonly WireCase[] = [
  ...of('refused', refused),
  ...of('fresh', fresh),
  ...of('projects', projects),
  ...of('heartbeats', heartbeats),
  ...of('agents', agents),
  ...of('removals', removals),
]
