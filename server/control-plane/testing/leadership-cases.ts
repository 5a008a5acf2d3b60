/** Leadership as existing clients ask for it, in the order of one life of a project; `<t>` and `<s>` as {@link timeless} has them. */
import { projectKeys } from '#domain/membridge/project-keys.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { CID, type WireCase } from './registry-cases.ts'

const keys = projectKeys(CID)
const LEADERSHIP = `GET /projects/${CID}/leadership`
const SELECT = `POST /projects/${CID}/leadership/select`
const GRANTS = `POST /projects/${CID}/grants`
const GRANTED = `GET /projects/${CID}/grants`
const UNAUTHORIZED = '{"detail":"Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header"}'

/** Writes past all conditions, as nodes of today do; a text that is no object is written as it is. */
const put = (key: string, content: object | string) => async (store: ObjectStore) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  await store.replace(key, new TextEncoder().encode(text), (await store.head(key))?.etag ?? null)
}
const now = () => Date.now() / 1_000

const node = (id: string, role: string) =>
  `{"node_id":"${id}","canonical_id":"${CID}","role":"${role}","obs_count":7,"db_sha":null,"last_seen":<t>,"ip_addrs":[],"registered_at":<t>,"project_id":null,"agent_version":null,"online":true}`
const lease = (id: string, epoch: number, term: number) =>
  `{"canonical_id":"${CID}","primary_node_id":"${id}","issued_by":"control-plane","policy":"primary_authoritative","issued_at":<t>,"expires_at":<t>,"lease_seconds":3600,"epoch":${epoch},"term":${term},"needs_ui_selection":false}`
const selected = (id: string, { epoch, term, known }: { epoch: number; term: number; known: boolean }) =>
  `{"ok":true,"canonical_id":"${CID}","primary_node_id":"${id}","lease_seconds":3600,"detail":"${id} is primary of ${CID}: epoch ${epoch}, term ${term}.","epoch":${epoch},"term":${term},"known_node":${known},"lease":${lease(id, epoch, term)}}`
const NO_POINTER = '{"sha256":null,"observations":null,"term":null,"pushed_at":null}'
const FREE = '{"state":"free","node_id":null,"age_seconds":null}'
const beat = (id: string, answer: string): WireCase => ({
  ...{ name: `${id} beats`, at: 'POST /agent/heartbeat', status: 200 },
  body: { node_id: id, canonical_id: CID, obs_count: 7 },
  answer: `{"ok":true,${answer}}`,
})
const beaten = (role: string, state: string, epoch: number | null, term: number | null) =>
  `"role":"${role}","canonical_id":"${CID}","lease_state":"${state}","epoch":${epoch},"term":${term}`

const refused: WireCase[] = [LEADERSHIP, SELECT, GRANTS, GRANTED].flatMap((at) =>
  (['none', 'wrong', 'other kind'] as const).map((keys) => ({
    ...{ name: `${at}, key: ${keys}`, at, keys, status: 401, answer: UNAUTHORIZED },
    ...(at.startsWith('POST') ? { body: { primary_node_id: 'x', node_id: 'x' } } : {}),
  })),
)

const fresh: WireCase[] = [
  {
    ...{ name: 'nobody leads', at: LEADERSHIP, status: 200 },
    answer: `{"canonical_id":"${CID}","preferred_primary":null,"node_count":0,"nodes":[],"lease":null,"lease_state":"absent","epoch":null,"term":null,"ttl_seconds":null,"needs_ui_selection":false,"lock":${FREE},"pointer":${NO_POINTER}}`,
  },
  beat('alder', beaten('unknown', 'absent', null, null)),
  beat('birch', beaten('unknown', 'absent', null, null)),
]

const selections: WireCase[] = [
  {
    ...{ name: 'without a reason, with what nobody knows', at: SELECT, status: 200 },
    body: { primary_node_id: 'alder', colour: 'green' },
    answer: selected('alder', { epoch: 1, term: 1, known: true }),
  },
  beat('alder', beaten('primary', 'valid', 1, 1)),
  beat('birch', beaten('secondary', 'valid', 1, 1)),
  {
    ...{ name: 'of another node', at: SELECT, body: { primary_node_id: 'birch', expected_epoch: 1 } },
    ...{ status: 200, answer: selected('birch', { epoch: 2, term: 2, known: true }) },
  },
  beat('birch', beaten('primary', 'valid', 2, 2)),
  beat('alder', beaten('secondary', 'valid', 2, 2)),
  {
    ...{ name: 'the list', at: `GET /projects/${CID}/nodes`, status: 200 },
    answer: `[${node('alder', 'secondary')},${node('birch', 'primary')}]`,
  },
  {
    ...{ name: 'the card', at: LEADERSHIP, status: 200 },
    answer: `{"canonical_id":"${CID}","preferred_primary":"birch","node_count":2,"nodes":[${node('alder', 'secondary')},${node('birch', 'primary')}],"lease":${lease('birch', 2, 2)},"lease_state":"valid","epoch":2,"term":2,"ttl_seconds":<s>,"needs_ui_selection":false,"lock":${FREE},"pointer":{"sha256":null,"observations":null,"term":2,"pushed_at":null}}`,
  },
  {
    ...{ name: 'upon an old epoch', at: SELECT, status: 409 },
    body: { primary_node_id: 'alder', expected_epoch: 1 },
    answer: `{"lease":${lease('birch', 2, 2)},"selected_by":"membridge","detail":"The lease is of epoch 2 by now: birch is primary, selected by membridge.","code":"EPOCH_STALE"}`,
  },
  {
    ...{ name: 'without a node', at: SELECT, body: '', status: 422 },
    answer: '{"detail":[{"loc":["body","primary_node_id"],"msg":"Field required","type":"missing"}]}',
  },
  {
    ...{
      name: 'for a second',
      at: SELECT,
      body: { primary_node_id: 'alder', lease_seconds: 59 },
      status: 422,
    },
    answer:
      '{"detail":[{"loc":["body","lease_seconds"],"msg":"Too small: expected number to be >=60","type":"too_small"}]}',
  },
  {
    ...{ name: 'of a node that climbs', at: SELECT, body: { primary_node_id: '../x' }, status: 422 },
    answer:
      '{"detail":[{"loc":["body","primary_node_id"],"msg":"must be one line of 1 to 128 characters without \\"..\\"","type":"custom"}]}',
  },
]

const lock = () => ({
  node_id: 'birch',
  hostname: 'b',
  timestamp: now() - 5,
  owner_token: 't',
  ttl_seconds: 7200,
})
const pushes: WireCase[] = [
  {
    ...{ name: 'while the primary pushes', at: SELECT, body: { primary_node_id: 'alder' }, status: 409 },
    before: (store) => put(keys.lock, lock())(store),
    answer:
      '{"lock":{"state":"active","node_id":"birch","age_seconds":<s>},"detail":"The Push Lock is active since <s> s: birch is pushing. Wait until it is released, or select with force.","code":"PUSH_IN_FLIGHT"}',
  },
  {
    ...{ name: 'by force', at: SELECT, body: { primary_node_id: 'cedar', force: true }, status: 200 },
    answer: selected('cedar', { epoch: 3, term: 3, known: false }),
  },
]

const unreadable = (name: string, text: string, fault: string): WireCase[] => [
  {
    ...{ name: `${name}: the card`, at: LEADERSHIP, status: 503, before: put(keys.lease, text) },
    answer: `{"lease_state":"unreadable","nodes":[${node('alder', 'unknown')},${node('birch', 'unknown')}],"detail":"lease.json unreadable: ${fault}","code":"LEASE_UNKNOWN"}`,
  },
  beat('alder', beaten('unknown', 'unreadable', null, null)),
  {
    ...{ name: `${name}: selected over`, at: SELECT, body: { primary_node_id: 'alder' }, status: 503 },
    answer: `{"detail":"lease.json unreadable: ${fault}. An unreadable lease is replaced only with force and a reason.","code":"LEASE_UNKNOWN"}`,
  },
]
const damaged: WireCase[] = [
  ...unreadable('truncated', '{"primary_node_id":"bir', 'not JSON'),
  ...unreadable('an array', '[]', 'not a JSON object'),
  ...unreadable(
    'an epoch as text',
    '{"primary_node_id":"birch","issued_at":1,"expires_at":2,"lease_seconds":9,"epoch":"3"}',
    'epoch is missing or of a wrong type',
  ),
  {
    ...{ name: 'replaced by force and with a reason', at: SELECT, status: 200 },
    body: { primary_node_id: 'alder', force: true, reason: 'damaged' },
    answer: selected('alder', { epoch: 4, term: 4, known: true }),
  },
  beat('alder', beaten('primary', 'valid', 4, 4)),
]

const grant = `{"grant_id":"<id>","canonical_id":"${CID}","node_id":"birch","override":"FORCE_PUSH","reason":"stuck","granted_by":"membridge","created_at":<t>,"expires_at":<t>}`
const grants: WireCase[] = [
  { ...{ name: 'none', at: GRANTED, status: 200 }, answer: '[]' },
  {
    ...{ name: 'for a minute', at: GRANTS, status: 201 },
    body: { node_id: 'birch', override: 'FORCE_PUSH', ttl_seconds: 60, reason: 'stuck' },
    answer: grant,
  },
  { ...{ name: 'all that stand', at: GRANTED, status: 200 }, answer: `[${grant}]` },
  { ...{ name: 'of one node', at: `${GRANTED}?node_id=alder`, status: 200 }, answer: '[]' },
  {
    ...{ name: 'for longer than an hour', at: GRANTS, status: 422 },
    body: { node_id: 'birch', override: 'FORCE_PUSH', ttl_seconds: 3_601, reason: 'stuck' },
    answer:
      '{"detail":[{"loc":["body","ttl_seconds"],"msg":"Too big: expected number to be <=3600","type":"too_big"}]}',
  },
]

const of = (room: string, cases: readonly WireCase[]): WireCase[] =>
  cases.map((one) => ({ ...one, name: `${room}: ${one.name}` }))

export const LEADERSHIP_CASES: readonly WireCase[] = [
  ...of('refused', refused),
  ...of('fresh', fresh),
  ...of('selections', selections),
  ...of('pushes', pushes),
  ...of('damaged', damaged),
  ...of('grants', grants),
]
