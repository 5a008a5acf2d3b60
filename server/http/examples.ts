/**
 * One example for each address, shown in the API reference and carried by the OpenAPI document. What an address needs no
 * fields for needs no row. The test beside sends every one of them to the whole gateway: an example that does not work fails it.
 * The ids are made up; a reader, and the test, put real ones in their place.
 */

export type Example = { query?: Record<string, string | number>; body?: unknown }

/** Values for the names in paths. */
export const EXAMPLE_PARAMS: Readonly<Record<string, string>> = {
  account_id: 'acc_k3f9x2m7',
  agent: 'research-librarian',
  cid: 'aeeafec3a5b5710f',
  alert_id: 'alert-0d6b7c1e-52f4-4a83-9b1d-c47e9f3a2068',
  artifact_id: 'art-5f0c2a1e-8d4b-4c9a-9e57-2b6f0d3c1a48',
  event_id: 'evt_01K9Z3T5V7X9B1D3F5H7J9M1P3',
  file: 'art-5f0c2a1e-8d4b-4c9a-9e57-2b6f0d3c1a48.json',
  id: '3e9d5b7a-1c42-4f86-a0d9-6b8e4f2c7a15',
  inbox_id: 'inbox_2026-05-04_k3f9x2',
  key_id: '5f0c2a1e8d4b4c9a',
  job_id: '3e9d5b7a-1c42-4f86-a0d9-6b8e4f2c7a15',
  name: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00.json',
  proposal_id: 'prop_2026-05-04_0a1b2c3d4e5f',
  question_id: '7b2e4c90-3f18-5d6a-8c41-0e9d5a7f2b36',
  resource_id: 'run_2026-05-04_081500_m4t8qz',
  resource_type: 'run',
  rule_id: 'rule_0a1b2c3d4e5f',
  run_id: 'run_2026-05-04_081500_m4t8qz',
  session: 'c0ffee00c0ffee00',
  slug: 'research-librarian',
  sync_id: '9f3a1c5e7b2d4068',
  step: '2',
  zone_id: '7c1f09ab',
}

/** The password of the examples. */
export const EXAMPLE_PASSWORD = 'a long sentence of your own'
const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const REASON = { reason: 'The backend answers again.' }
const REASON_OF_SYNC = { reason: 'Before the trip.' }
const ENTRY = {
  intent: {
    action: 'propose-note',
    target: 'notes/Ideas/Rain barrel.md',
    payload: {
      kind: 'note',
      text: '# Rain barrel\n\nBeside the shed, under the gutter.\n',
      summary: 'New note: Rain barrel',
    },
  },
  metadata: { correlation_id: 'rain-barrel-1', priority: 'normal', ttl_hours: 72 },
}

const RULE = {
  condition: { action: 'propose-tag', 'source.type': 'agent', 'target.path': { prefix: 'notes/Log/' } },
  daily_cap: 20,
  expires_at: '2099-01-01T00:00:00.000Z',
}
const DRY_RUN_TOKEN = 'the token that the dry run answered'

export const EXAMPLES: Readonly<Record<string, Example>> = {
  'POST /api/v1/auth/token': { body: { name: 'owner', password: EXAMPLE_PASSWORD } },
  'POST /api/v1/auth/step-up': { body: { password: EXAMPLE_PASSWORD } },
  'POST /api/v1/auth/password': {
    body: { password: 'another long sentence', current: EXAMPLE_PASSWORD },
  },
  'POST /api/v1/accounts': { body: { name: 'olena', password: 'a long sentence of her own' } },
  'POST /api/v1/accounts/{account_id}/password': { body: { password: 'another one of her own' } },
  'POST /api/v1/keys': { body: { kind: 'node', node_id: 'attic-pi', name: 'Attic', expires_in_days: 365 } },
  'POST /api/v1/keys/{key_id}/rotate': { body: { expires_in_days: 365, previous_ends_in_hours: 24 } },
  'POST /api/v1/membridge/projects': { body: { name: 'garden-seedling' } },
  'POST /api/v1/membridge/agents': { body: { name: 'attic-pi', url: 'https://attic-pi.lan:8001' } },
  'POST /api/v1/membridge/sync/push': {
    body: { project: 'garden-seedling', agent: 'attic-pi', ...REASON_OF_SYNC },
  },
  'POST /api/v1/membridge/sync/pull': {
    body: { project: 'garden-seedling', agent: 'attic-pi', ...REASON_OF_SYNC },
  },
  'GET /api/v1/membridge/syncs': { query: { status: 'completed', limit: 20 } },
  'GET /api/v1/nodes': { query: { state: 'online', limit: 20 } },
  'GET /api/v1/nodes/view': { query: { node_id: 'shed-pi' } },
  'POST /api/v1/nodes': { body: { node_id: 'shed-pi', project: 'garden-seedling', expires_in_days: 365 } },
  'POST /api/v1/nodes/register': { body: { node_id: 'shed-pi', url: 'https://shed-pi.example:8001' } },
  'POST /api/v1/nodes/unregister': { body: { node_id: 'shed-pi' } },
  'POST /api/v1/membridge/projects/{cid}/leadership/select': {
    body: { primary_node_id: 'attic-pi', reason: 'The old primary is being repaired.', expected_epoch: 0 },
  },
  'POST /api/v1/membridge/projects/{cid}/grants': {
    body: {
      node_id: 'attic-pi',
      override: 'ALLOW_SECONDARY_PUSH',
      ttl_seconds: 900,
      reason: 'The primary has no network.',
    },
  },
  'GET /api/v1/search': { query: { q: 'rain barrel' } },
  'POST /api/v1/zones/enter': { body: { zone_id: '7c1f09ab', code: 'K7Q2-M9XD', consent_version: 1 } },
  'POST /api/v1/zones/consent': { body: { consent_version: 1 } },
  'POST /api/v1/zones': {
    body: { name: 'Neighbours', description: 'Who helps with the beds', folders: ['Beds'], minutes: 1440 },
  },
  'PATCH /api/v1/zones/{zone_id}': { body: { minutes: 2880 } },
  'POST /api/v1/inbox': { body: ENTRY },
  'POST /api/v1/inbox/submit': {
    body: {
      intent: {
        action: 'propose-edit',
        target: 'notes/Beds/North bed.md',
        payload: {
          diff: { type: 'replace', text: '# North bed\n\nLeeks this year.\n' },
          summary: 'Leeks this year',
          reasoning: 'Garlic stood there last year.',
        },
      },
    },
  },
  'PATCH /api/v1/proposals/{proposal_id}': { body: { status: 'approved', review_digest: DIGEST } },
  'PATCH /api/v1/proposals/batch': {
    body: {
      proposal_ids: ['prop_2026-05-04_0a1b2c3d4e5f', 'prop_2026-05-04_1b2c3d4e5f60'],
      status: 'rejected',
      decision_note: 'The beds say otherwise this year.',
      reason_code: 'wrong_fact',
    },
  },
  'POST /api/v1/proposals/{proposal_id}/approve': { body: { review_digest: DIGEST } },
  'POST /api/v1/proposals/{proposal_id}/reject': {
    body: { decision_note: 'The beds say otherwise this year.', reason_code: 'wrong_fact' },
  },
  'POST /api/v1/proposals/{proposal_id}/edit': {
    body: {
      review_digest: DIGEST,
      changes: [{ path: 'Ideas/Rain barrel.md', text: '# Rain barrel\n\nBehind the shed.\n' }],
      remainder: 'reject',
    },
  },
  'POST /api/v1/proposals/{proposal_id}/force': {
    body: { over_hash: DIGEST, reason: 'The text proposed is the one we agreed on.' },
  },
  'POST /api/v1/proposals/{proposal_id}/rebase': {
    body: {
      current_hash: DIGEST,
      files: [{ path: 'Beds/North.md', decisions: [{ take: 'both' }, { take: 'text', text: 'Leeks.\n' }] }],
    },
  },
  'POST /api/v1/proposals/{proposal_id}/extend': {
    body: { hours: 48, reason: 'We decide on the next work day.' },
  },
  'POST /api/v1/proposals/rules': { body: { name: 'Tags in the log', ...RULE } },
  'PATCH /api/v1/proposals/rules/{rule_id}': { body: { name: 'Tags in the log', version: 1, ...RULE } },
  'POST /api/v1/proposals/rules/order': { body: { rule_ids: ['rule_0a1b2c3d4e5f'] } },
  'POST /api/v1/proposals/rules/{rule_id}/mode': { body: { mode: 'shadow' } },
  'POST /api/v1/proposals/rules/{rule_id}/turn-on': { body: { dry_run_token: DRY_RUN_TOKEN } },
  'POST /api/v1/proposals/rules/dry-run': { body: { rule: RULE } },
  'POST /api/v1/proposals/rules/dry-run/opened': {
    body: { dry_run_token: DRY_RUN_TOKEN, proposal_ids: ['prop_2026-05-04_0a1b2c3d4e5f'] },
  },
  'POST /api/v1/proposals/{proposal_id}/request-changes': {
    body: {
      review_digest: DIGEST,
      comments: [{ path: 'Growing/Watering.md', side: 'proposed', line: 7, body: 'Only in dry weeks.' }],
      note: 'See the journal of May.',
    },
  },
  'POST /api/v1/proposals/{proposal_id}/snooze': { body: { until: '2026-12-24T08:00:00Z' } },
  'GET /api/v1/proposals/track-record': { query: { agent: 'research-librarian' } },
  'GET /api/v1/proposals': { query: { status: 'PENDING', limit: 20 } },
  'POST /api/v1/agents/{slug}/run': { body: { params: { question: 'When are the beds watered?' } } },
  'POST /api/v1/agents/run': {
    body: { agent_slug: 'research-librarian', params: { question: 'When are the beds watered?' } },
  },
  'POST /api/v1/runs/{run_id}/cancel': { body: { reason: 'Asked by mistake.' } },
  'GET /api/v1/runs/compare': {
    query: { a: 'run_2026-05-04_080000_k3v9qz', b: 'run_2026-05-04_090000_m7w2xa' },
  },
  'POST /api/v1/runs/{run_id}/rerun': {
    body: { from_step: 1, reason: 'The garden has changed since then.' },
  },
  'GET /api/v1/jobs': { query: { status: 'DEAD', limit: 20 } },
  'POST /api/v1/jobs': {
    body: {
      job_type: 'RESEARCH',
      agent_slug: 'research-librarian',
      payload: { query: 'What is written of compost?' },
    },
  },
  'POST /api/v1/jobs/{job_id}/cancel': { body: { reason: 'Asked by mistake.' } },
  'POST /api/v1/jobs/{job_id}/fail': { body: { reason: 'Nobody needs the answer any more.' } },
  'POST /api/v1/jobs/{job_id}/requeue': { body: REASON },
  'POST /api/v1/jobs/{job_id}/replay': {
    body: { reason: 'The sources have changed.', payload: { query: 'When are leeks hilled up?' } },
  },
  'POST /api/v1/jobs/failures/resolve': {
    body: {
      code: 'NLM_UNAVAILABLE',
      phase: 'NOTEBOOKLM_CALL',
      through: '2026-05-04T08:20:00.000Z',
      ...REASON,
    },
  },
  'POST /api/v1/jobs/bulk/preview': { body: { action: 'requeue', filter: { status: 'DEAD' } } },
  'POST /api/v1/jobs/bulk/execute': {
    body: { token: 'the token that the preview answered', typed_count: 12, ...REASON },
  },
  'POST /api/v1/agents/{slug}/delete': { body: { confirm: 'research-librarian', reason: 'Nobody asks it.' } },
  'POST /api/v1/agents/{slug}/pause': { body: { reason: 'Away for a week.' } },
  'GET /api/v1/notes': { query: { q: 'watering' } },
  'GET /api/v1/notes/view': { query: { path: 'Beds/North bed.md' } },
  'GET /api/v1/notes/tree': { query: { folder: 'Beds' } },
  'POST /api/v1/notes/suggestions': {
    body: { path: 'Beds/North bed.md', text: 'The leeks were sown in March.', quote: 'Sown in May.' },
  },
  'GET /api/v1/notes/history': { query: { path: 'Beds/North bed.md', limit: 20 } },
  'GET /api/v1/notes/compare': { query: { path: 'Beds/North bed.md', to: '4ad2983c'.repeat(5) } },
  'GET /api/v1/notes/excerpt': { query: { path: 'Beds/North bed.md', from: 1, to: 3 } },
  'GET /api/v1/artifacts': { query: { type: 'RESEARCH_BRIEF', limit: 20 } },
  'GET /api/v1/artifacts/{artifact_id}/export': { query: { format: 'md', lang: 'en' } },
  'GET /api/v1/alerts': { query: { show: 'standing', limit: 20 } },
  'GET /api/v1/questions': { query: { status: 'open', limit: 20 } },
  'POST /api/v1/questions/{question_id}/answer': { body: { choice: 1 } },
  'POST /api/v1/alerts/{alert_id}/acknowledge': { body: { note: 'The disk is being replaced.' } },
  'GET /api/v1/dashboard/metrics': { query: { window: '24h', jobType: 'RESEARCH' } },
  'GET /api/dashboard/metrics': { query: { window: '7d', series: 'garden_runs_total,garden_run_seconds' } },
  'GET /api/v1/audit': { query: { event: 'proposal', limit: 20 } },
  'GET /api/v1/audit/export': { query: { format: 'jsonl' } },
  'POST /api/v1/system/retention/preview': { body: { days: 365 } },
  'GET /api/v1/contexts/{name}': { query: { expires: 1777881600, signature: DIGEST } },
  'POST /api/v1/jobs/{id}/result': { body: { status: 'COMPLETE', timestamp: '2026-05-04T08:20:00.000Z' } },
  'PATCH /api/v1/jobs/{id}/status': { body: { phase: 'NLM_QUERY' } },
  'POST /api/v1/artifacts': {
    body: {
      job_id: '3e9d5b7a-1c42-4f86-a0d9-6b8e4f2c7a15',
      type: 'RESEARCH_BRIEF',
      content: { title: 'Watering', question: 'When are the beds watered?', sections: [] },
      sources: [],
      entity_refs: [],
      tags: ['watering'],
      grounding: { status: 'ungrounded', claims: 0, grounded_claims: 0 },
      engine: { id: 'extractive', model: null, version: '1' },
    },
  },
}
