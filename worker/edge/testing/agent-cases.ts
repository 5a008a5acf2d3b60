/**
 * What callers of an agent send and what they get, in the order of one life of a fresh node in a dry run. `<t>` stands for a time in seconds and
 * `<host>` for the machine's name; everything else is compared byte by byte.
 */
export type AgentCase = {
  name: string
  at: string
  /** The whole body; an object is sent as compact JSON. */
  body?: string | object
  /** `Content-Type: application/json` unless told; empty: none. */
  type?: string
  key?: 'right' | 'none' | 'wrong' | 'admin'
  headers?: Record<string, string>
  status: number
  answer: string
}

const CID = 'aeeafec3a5b5710f'
const UNAUTHORIZED = '{"detail":"Unauthorized — invalid or missing X-MEMBRIDGE-AGENT header"}'
const SEEDLING = `{"project_id":"garden-seedling","canonical_id":"${CID}","created_at":<t>,"last_seen":<t>}`
const misfit = (field: string, msg: string, type = 'custom', place = 'body') =>
  `{"detail":[{"loc":["${place}","${field}"],"msg":"${msg}","type":"${type}"}]}`
const missing = (field: string, place = 'body') => misfit(field, 'Field required', 'missing', place)
const ONE_LINE = 'must be one line of 1 to 128 characters'
const CANONICAL = 'must be 1 to 64 letters, digits, \\".\\", \\"_\\" or \\"-\\", and not dots alone'

const NEED_KEY = [
  'POST /sync/push',
  'POST /push',
  'POST /sync/pull',
  'POST /pull',
  'POST /doctor',
  'POST /restart',
  'POST /self-update',
  'POST /uninstall',
  'GET /doctor?project=mem',
  'GET /status?project=mem',
]

const refused: AgentCase[] = [
  ...NEED_KEY.flatMap((at) =>
    (['none', 'wrong', 'admin'] as const).map((key) => ({
      ...{ name: `${at}, key: ${key}`, at, key, status: 401, answer: UNAUTHORIZED },
      ...(at.startsWith('POST') ? { body: { project: 'mem' } } : {}),
    })),
  ),
  ...(
    [
      ['a proxy', { 'X-Forwarded-For': '127.0.0.1' }],
      ['a proxy of another header', { 'X-Forwarded-Anything': '1' }],
      ['a proxy by Forwarded', { Forwarded: 'for=127.0.0.1' }],
      ['a proxy by Via', { Via: '1.1 proxy' }],
      ['a foreign Host', { Host: 'evil.example' }],
      ['a Host that begins alike', { Host: 'localhost.evil.example:8001' }],
    ] as const
  ).flatMap(([who, headers]) =>
    ['GET /projects', 'POST /register_project'].map((at) => ({
      ...{ name: `${at} over ${who}`, at, key: 'none' as const, headers, status: 401, answer: UNAUTHORIZED },
      ...(at.startsWith('POST') ? { body: { project_id: 'x' } } : {}),
    })),
  ),
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp'].map(
    (type): AgentCase => ({
      ...{ name: `a registration as ${type}`, at: 'POST /register_project', type, key: 'none' },
      ...{ body: '{"project_id":"x"}', status: 401, answer: UNAUTHORIZED },
    }),
  ),
]

const register = (name: string, body: string | object, status: number, answer: string): AgentCase => ({
  ...{ name: `a registration ${name}`, at: 'POST /register_project', key: 'none', body, status, answer },
})

const registry: AgentCase[] = [
  { name: 'no projects', at: 'GET /projects', key: 'none', status: 200, answer: '[]' },
  register(
    'as hooks send it',
    { project_id: 'garden-seedling', unknown: 1 },
    200,
    `{"ok":true,"project_id":"garden-seedling","canonical_id":"${CID}","projects_count":1}`,
  ),
  register('without a project', {}, 422, missing('project_id')),
  register('with an empty body', '', 422, missing('project_id')),
  register('of an empty name', { project_id: ' ' }, 422, misfit('project_id', ONE_LINE)),
  register('of a name too long', { project_id: 'a'.repeat(129) }, 422, misfit('project_id', ONE_LINE)),
  register('of a name with NUL', { project_id: 'a\0b' }, 422, misfit('project_id', ONE_LINE)),
  register(
    'of a number',
    { project_id: 7 },
    422,
    misfit('project_id', 'Invalid input: expected string, received number', 'invalid_type'),
  ),
  ...['..', '../x', 'a/b', 'a\0', 'a'.repeat(65)].map((canonical_id) =>
    register(
      `under the id ${JSON.stringify(canonical_id)}`,
      { project_id: 'x', canonical_id },
      422,
      misfit('canonical_id', CANONICAL),
    ),
  ),
  register(
    'with a path of two lines',
    { project_id: 'x', path: 'a\nb' },
    422,
    misfit('path', 'must be one line', 'invalid_format'),
  ),
  register('that is no JSON', '{"project_id":', 400, '{"detail":"The body is not JSON in UTF-8."}'),
  register(
    'that is a list',
    '[]',
    422,
    '{"detail":[{"loc":["body"],"msg":"Invalid input: expected object, received array","type":"invalid_type"}]}',
  ),
  register(
    'of a megabyte',
    { project_id: 'a'.repeat(1_000_000) },
    413,
    '{"detail":"The body is larger than 102400 bytes."}',
  ),
  {
    ...{ name: 'text under the key', at: 'POST /register_project', type: 'text/plain', body: '{}' },
    ...{ status: 415, answer: '{"detail":"Send application/json."}' },
  },
  { name: 'the list', at: 'GET /projects', key: 'none', status: 200, answer: `[${SEEDLING}]` },
]

const DRY = (action: string, project: string, cid: string) =>
  `{"ok":true,"action":"${action}","project":"${project}","canonical_id":"${cid}","hostname":"<host>","detail":"[DRYRUN] Would execute ${action} for project '${project}' (canonical_id=${cid})","dryrun":true,"stdout":null,"stderr":null,"returncode":null}`

const commands: AgentCase[] = [
  ...(
    [
      ['POST /sync/push', 'push'],
      ['POST /push', 'push'],
      ['POST /sync/pull', 'pull'],
      ['POST /pull', 'pull'],
      ['POST /doctor', 'doctor'],
    ] as const
  ).flatMap(([at, action]): AgentCase[] => [
    {
      ...{ name: at, at, body: { project: 'garden-seedling', unknown: [1] } },
      ...{ status: 200, answer: DRY(action, 'garden-seedling', CID) },
    },
    {
      ...{ name: `${at} of a project that nobody registered`, at, body: { project: 'mem' } },
      ...{ status: 200, answer: DRY(action, 'mem', '6fe2e0f6071ac2bb') },
    },
    { name: `${at} with an empty body`, at, body: '', status: 422, answer: missing('project') },
    {
      name: `${at} of null`,
      at,
      body: { project: null },
      status: 422,
      answer: misfit('project', 'Invalid input: expected string, received null', 'invalid_type'),
    },
  ]),
  {
    ...{ name: 'a pull by a word', at: 'POST /pull', body: { project: 'mem', no_restart_worker: 'yes' } },
    ...{
      status: 422,
      answer: misfit('no_restart_worker', 'Invalid input: expected boolean, received string', 'invalid_type'),
    },
  },
  {
    name: 'doctor',
    at: 'GET /doctor?project=mem',
    status: 200,
    answer: DRY('doctor', 'mem', '6fe2e0f6071ac2bb'),
  },
  { name: 'doctor of nothing', at: 'GET /doctor', status: 422, answer: missing('project', 'query') },
  { name: 'status of nothing', at: 'GET /status', status: 422, answer: missing('project', 'query') },
  {
    ...{ name: 'status', at: 'GET /status?project=garden-seedling', status: 200 },
    answer: `{"ok":true,"project":"garden-seedling","canonical_id":"${CID}","hostname":"<host>","detail":"[DRYRUN] Status for project 'garden-seedling'","dryrun":true,"config_env_exists":false,"hooks_bin_exists":false,"db_exists":false,"db_path":null,"registered":true,"leadership":null,"last_hook":null}`,
  },
  ...['restart', 'self-update', 'uninstall'].map(
    (action): AgentCase => ({
      ...{ name: action, at: `POST /${action}`, body: '', status: 403 },
      answer: '{"detail":"Process control is disabled. Set MEMBRIDGE_ALLOW_PROCESS_CONTROL=1 to enable."}',
    }),
  ),
  { name: 'another address', at: 'GET /clone', status: 404, answer: '{"detail":"Not Found"}' },
  {
    name: 'a task',
    at: 'POST /execute-task',
    body: {},
    status: 503,
    answer: '{"detail":"This node is not set to run tasks: MEMBRIDGE_WORK=push."}',
  },
  {
    name: 'another method',
    at: 'PUT /projects',
    body: {},
    status: 405,
    answer: '{"detail":"This address is called by another method."}',
  },
]

export const AGENT_CASES: readonly AgentCase[] = [...refused, ...registry, ...commands]
