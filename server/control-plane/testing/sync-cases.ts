import { refusedCases, type WireCase } from './wire-cases.ts'

export const CID = '6fe2e0f6071ac2bb'

const ELSEWHERE: Record<string, string> = {
  closed: 'http://127.0.0.1:9',
  metadata: 'https://169.254.169.254/latest',
}
/** The agents of an instance: each behaves as its name says. */
export const agentUrls = (nodeUrl: string): Record<string, string | null> => ({
  ...Object.fromEntries(
    'ok fails dry odd repeats script array html huge redirect key breaks drops'
      .split(' ')
      .map((name) => [name, `${nodeUrl}/${name}`]),
  ),
  ...ELSEWHERE,
  ...{ silent: null, lan: 'http://192.168.3.184:8001' },
})

const ROUTES = ['POST /sync/push', 'POST /sync/pull', 'GET /jobs', 'GET /jobs/0123456789abcdef']
const field = (name: string) => `{"loc":["body","${name}"],"msg":"Field required","type":"missing"}`
const ONE_LINE = 'must be one line of 1 to 128 characters'

const ask = (agent: string, more: Omit<WireCase, 'at' | 'name'> & { at?: string }): WireCase => ({
  name: agent,
  at: 'POST /sync/push',
  body: { project: 'mem', agent },
  ...more,
})
const done = (agent: string, ok: boolean, detail: string): WireCase =>
  ask(agent, {
    status: 200,
    answer: `{"ok":${ok},"project":"mem","agent":"${agent}","canonical_id":"${CID}","detail":${JSON.stringify(detail)},"job_id":"<id>"}`,
  })
const lost = (agent: string, detail: string): WireCase =>
  ask(agent, { status: 502, answer: `{"job_id":"<id>","detail":"${detail}","code":"UPSTREAM_UNAVAILABLE"}` })
const notCallable = (agent: string, why: string): WireCase =>
  ask(agent, {
    status: 409,
    answer: `{"detail":"Agent '${agent}' can't be called. ${why}","code":"NODE_NOT_CALLABLE"}`,
  })

const asked: WireCase[] = [
  {
    ...{ name: 'without names', at: 'POST /sync/push', body: '', status: 422 },
    answer: `{"detail":[${field('project')},${field('agent')}]}`,
  },
  {
    ...{ name: 'with a number for a name', at: 'POST /sync/pull', status: 422 },
    body: { project: 7, agent: 'ok' },
    answer:
      '{"detail":[{"loc":["body","project"],"msg":"Invalid input: expected string, received number","type":"invalid_type"}]}',
  },
  {
    ...{
      name: 'with an empty name',
      at: 'POST /sync/pull',
      status: 422,
      body: { project: 'mem', agent: ' ' },
    },
    answer: `{"detail":[{"loc":["body","agent"],"msg":"${ONE_LINE}","type":"custom"}]}`,
  },
  {
    ...{ name: 'of a project that is none', at: 'POST /sync/push', status: 404 },
    body: { project: 'none', agent: 'ok' },
    answer: `{"detail":"Project 'none' not found"}`,
  },
  ask('none', { status: 404, answer: `{"detail":"Agent 'none' not found"}` }),
  notCallable('silent', 'It is registered without a URL. Remove it and register it with one.'),
  notCallable(
    'lan',
    'Its address is plain HTTP outside this machine, and a key must not cross a network unencrypted. Register an https address, or set ALLOW_INSECURE_LAN=1.',
  ),
  notCallable(
    'metadata',
    'Its address is link-local, multicast or reserved, where no node is called. Register another address.',
  ),
]

const ADDRESS = 'Check that its registered address is that of a Membridge agent.'
const answered = (nodeUrl: string): WireCase[] => [
  done('ok', true, 'push completed'),
  {
    ...done('ok', true, 'push completed'),
    at: 'POST /sync/pull',
    name: 'pull',
    body: { project: 'mem', agent: 'ok', of_a_newer_client: 1 },
  },
  done('fails', false, 'SECONDARY: push blocked by default.'),
  done('dry', true, '[DRYRUN] would push'),
  done('odd', true, 'The push is done.'),
  done('repeats', true, 'key ****'),
  done('script', true, '<script>alert(1)</script>'),
  lost('array', `The agent at ${nodeUrl} answered with something that is no report of a sync. ${ADDRESS}`),
  lost('html', `The agent at ${nodeUrl} answered with something that is no report of a sync. ${ADDRESS}`),
  lost('huge', `The answer of the agent is larger than 1 MiB. ${ADDRESS}`),
  lost(
    'redirect',
    'The agent answered with a redirect, which is not followed. Register the address that it leads to.',
  ),
  lost(
    'key',
    `The agent at ${nodeUrl} refused the key (401). Check MEMBRIDGE_AGENT_KEY in the configuration of the node.`,
  ),
  lost('breaks', `The agent at ${nodeUrl} answered 500: MEMBRIDGE_AGENT_KEY is not set on this node`),
  lost('drops', `${nodeUrl} did not answer (UND_ERR_SOCKET). Check that the agent runs and can be reached.`),
  lost(
    'closed',
    'http://127.0.0.1:9 did not answer (ECONNREFUSED). Check that the agent runs and can be reached.',
  ),
]

/** Of a fresh instance with these agents and the project `mem`. */
export const syncCases = (nodeUrl: string): WireCase[] => [
  ...refusedCases(ROUTES, { project: 'mem', agent: 'ok' }),
  { name: 'no syncs', at: 'GET /jobs', status: 200, answer: '[]' },
  ...asked,
  { name: 'none of these was recorded', at: 'GET /jobs', status: 200, answer: '[]' },
  ...answered(nodeUrl),
]

const item = (more: string): string =>
  `{"kind":"sync","id":"<id>",${more},"created_at":<t>,"finished_at":<t>,"request_id":"<r>"}`
const FOREIGN =
  '"job_type":null,"agent_slug":null,"attempt":null,"max_attempts":null,"artifact_id":null,"error":null,"updated_at":null'
/** What `/jobs` shows of some of them. */
export const ITEMS: Record<string, string> = {
  ok: item(
    `"status":"completed",${FOREIGN},"action":"push","project":"mem","agent":"ok","canonical_id":"${CID}","detail":"push completed","stdout":"a\\nb\\n","stderr":"","returncode":0,"dryrun":false`,
  ),
  fails: item(
    `"status":"failed",${FOREIGN},"action":"push","project":"mem","agent":"fails","canonical_id":"${CID}","detail":"SECONDARY: push blocked by default.","stdout":"a\\nb\\n","stderr":"no\\n","returncode":3,"dryrun":false`,
  ),
  odd: item(
    `"status":"completed",${FOREIGN},"action":"push","project":"mem","agent":"odd","canonical_id":"${CID}","detail":"The push is done.","stdout":"x\\ny","stderr":null,"returncode":null,"dryrun":null`,
  ),
  redirect: item(
    `"status":"error",${FOREIGN},"action":"push","project":"mem","agent":"redirect","canonical_id":"${CID}","detail":"The agent answered with a redirect, which is not followed. Register the address that it leads to.","stdout":null,"stderr":null,"returncode":null,"dryrun":null`,
  ),
}

/** What may be done to a sync, and how it is found. */
export const itemCases = (id: string, answer: string): WireCase[] => [
  { name: 'one item', at: `GET /jobs/${id}`, status: 200, answer },
  { name: 'in upper case', at: `GET /jobs/${id.toUpperCase()}`, status: 200, answer },
  ...(['PATCH /jobs/{id}/status', 'POST /jobs/{id}/requeue'] as const).map((at) => ({
    ...{ name: at, at: at.replace('{id}', id), body: { status: 'FAILED' }, status: 409 },
    answer: `{"from":"completed","allowed":[],"detail":"'${id}' is a sync, which can't be failed or requeued. Run the sync again: POST /sync/push.","code":"INVALID_TRANSITION"}`,
  })),
  {
    ...{ name: 'an id that is none', at: 'POST /jobs/0123456789abcdef/requeue', body: {}, status: 404 },
    answer: `{"detail":"Job '0123456789abcdef' not found"}`,
  },
  {
    ...{ name: 'another status', at: `PATCH /jobs/${id}/status`, body: { status: 'DEAD' }, status: 422 },
    answer:
      '{"detail":[{"loc":["body","status"],"msg":"Invalid input: expected \\"FAILED\\"","type":"invalid_value"}]}',
  },
]
