/** What the example of each address needs: an object of its own, where the example uses one up, and any other where it does not. */
import sql from 'sql-template-tag'
import { given, OWNER } from '#prisma/seed/scenarios/ground.ts'
import { addJob } from '#prisma/seed/scenarios/jobs.ts'
import * as proposals from '#prisma/seed/scenarios/proposals.ts'
import { addRun } from '#prisma/seed/scenarios/runs.ts'
import type { Services } from '#server/services.ts'
import { createZone } from '#server/zones/create-zone.ts'
import {
  agentAfter,
  approvalRule,
  approved,
  failed,
  failingAgent,
  GARDENER,
  idOf,
  job,
  LIBRARIAN,
  latestFile,
  type Make,
  machineKey,
  membridgePair,
  newMembridgeProject,
  newProposal,
  nodeSync,
  openAlert,
  openQuestion,
  operator,
  pending,
  proposal,
  RULES,
  rejected,
  SCOUT,
  testedRule,
  withDigest,
} from './example-objects.ts'

/** What stands in an address by its name, where any will do. */
export const ANY: Record<string, (ground: Services) => Promise<string>> = {
  alert_id: openAlert,
  question_id: openQuestion,
  cid: newMembridgeProject,
  proposal_id: (ground) => idOf(ground, sql`SELECT proposal_id FROM proposal LIMIT 1`),
  inbox_id: (ground) => idOf(ground, sql`SELECT inbox_id FROM inbox_entry LIMIT 1`),
  job_id: (ground) => idOf(ground, sql`SELECT job_id FROM job LIMIT 1`),
  run_id: (ground) => idOf(ground, sql`SELECT run_id FROM run WHERE status = 'completed' LIMIT 1`),
  step: async () => '1',
  artifact_id: (ground) => idOf(ground, sql`SELECT artifact_id FROM artifact LIMIT 1`),
  event_id: (ground) => idOf(ground, sql`SELECT event_id FROM event LIMIT 1`),
  slug: async () => LIBRARIAN,
  zone_id: (ground) => idOf(ground, sql`SELECT zone_id FROM zone WHERE status = 'open' LIMIT 1`),
}

const NOTE = 'Beds/North bed.md'

/** What the examples of an address need, by address. */
export const MAKERS: Record<string, Make> = {
  [`PATCH ${RULES}/{rule_id}`]: approvalRule,
  [`DELETE ${RULES}/{rule_id}`]: approvalRule,
  [`POST ${RULES}/{rule_id}/mode`]: approvalRule,
  [`POST ${RULES}/{rule_id}/turn-on`]: testedRule,
  [`POST ${RULES}/order`]: async (ground, call) => {
    await approvalRule(ground, call)
    const { items } = await (await call('GET', RULES)).json()
    return { body: { rule_ids: items.map((one: { rule_id: string }) => one.rule_id) } }
  },
  [`POST ${RULES}/dry-run/opened`]: async (ground, call) => ({ body: (await testedRule(ground, call)).body }),
  'DELETE /api/v1/membridge/projects/{name}': async (ground, call) => {
    const { body } = await membridgePair(ground, call)
    return { path: { name: (body as { project: string }).project } }
  },
  'DELETE /api/v1/membridge/agents/{name}': async (ground, call) => {
    const { body } = await membridgePair(ground, call)
    return { path: { name: (body as { agent: string }).agent } }
  },
  'GET /api/v1/membridge/syncs/{sync_id}': nodeSync,
  'POST /api/v1/membridge/sync/push': membridgePair,
  'POST /api/v1/membridge/sync/pull': membridgePair,
  'POST /api/v1/accounts/{account_id}/disable': operator,
  'POST /api/v1/accounts/{account_id}/password': operator,
  'POST /api/v1/keys/{key_id}/rotate': machineKey,
  'POST /api/v1/keys/{key_id}/revoke': machineKey,
  'DELETE /api/v1/sessions/{session}': async (_ground, call) => {
    const sessions: { session: string; current: boolean }[] = await (
      await call('GET', '/api/v1/sessions')
    ).json()
    const one = sessions.find(({ current }) => !current) ?? sessions[0]
    return { path: { session: one?.session ?? '' } }
  },
  'GET /api/v1/runs/{run_id}/artifacts/{file}': async (ground) => {
    const artifact = await idOf(
      ground,
      sql`SELECT artifact_id FROM artifact WHERE run_id IS NOT NULL LIMIT 1`,
    )
    const run_id = await idOf(ground, sql`SELECT run_id FROM artifact WHERE artifact_id = ${artifact}`)
    return { path: { run_id, file: `${artifact}.json` } }
  },
  'PATCH /api/v1/proposals/{proposal_id}': async (ground, call) =>
    withDigest(await newProposal(ground), call),
  'POST /api/v1/proposals/{proposal_id}/approve': async (ground, call) =>
    withDigest(await newProposal(ground), call),
  'POST /api/v1/proposals/{proposal_id}/edit': async (ground, call) => {
    const { path, body } = await withDigest(await newProposal(ground), call)
    const text = '# Example\n\nAnother thought.\n'
    return { path, body: { ...body, changes: [{ path: latestFile(), text }] } }
  },
  'POST /api/v1/proposals/{proposal_id}/reject': pending,
  'POST /api/v1/proposals/{proposal_id}/extend': pending,
  'POST /api/v1/proposals/{proposal_id}/request-changes': async (ground, call) => {
    const ofAgent = sql`SELECT p.proposal_id FROM proposal p JOIN agent a ON a.slug = p.agent_slug AND a.status = 'active'
      WHERE p.status = 'PENDING' AND p.awaiting_changes_since IS NULL LIMIT 1`
    const { path, body } = await withDigest(await idOf(ground, ofAgent), call)
    return { path, body: { ...body, comments: [], note: 'See the journal of May.' } }
  },
  'POST /api/v1/proposals/{proposal_id}/snooze': async (ground) => ({
    ...proposal(await newProposal(ground)),
    body: { until: new Date(Date.now() + 3_600_000).toISOString() },
  }),
  'POST /api/v1/proposals/{proposal_id}/unsnooze': pending,
  'POST /api/v1/proposals/{proposal_id}/undo': async (ground) => proposal(await approved(ground, 600)),
  'POST /api/v1/proposals/{proposal_id}/revert': async (ground) => {
    const id = await approved(ground, 0)
    await proposals.applyAll(ground)
    return proposal(id)
  },
  'POST /api/v1/proposals/{proposal_id}/archive': async (ground, call) =>
    proposal(await rejected(ground, call)),
  'POST /api/v1/proposals/{proposal_id}/discard': async (ground, call) =>
    proposal(await rejected(ground, call)),
  'POST /api/v1/proposals/{proposal_id}/unarchive': async (ground, call) => {
    const id = await rejected(ground, call)
    await call('POST', `/api/v1/proposals/${id}/archive`)
    return proposal(id)
  },
  'POST /api/v1/proposals/{proposal_id}/resubmit': async (ground, call) =>
    proposal(await rejected(ground, call)),
  'POST /api/v1/proposals/{proposal_id}/rebase': async (ground, call) => {
    const id = await failed(ground)
    const { freshness, files } = await (await call('GET', `/api/v1/proposals/${id}/conflict`)).json()
    const [{ path }] = files
    const body = { current_hash: freshness.current_hash, files: [{ path, decisions: [{ take: 'both' }] }] }
    return { path: { proposal_id: id }, body }
  },
  'POST /api/v1/proposals/{proposal_id}/retry': async (ground) => {
    const id = await failed(ground)
    await ground.db.query(
      sql`UPDATE proposal SET error = jsonb_set(error, '{code}', '"storage_unavailable"') WHERE proposal_id = ${id}`,
    )
    return proposal(id)
  },
  'POST /api/v1/proposals/{proposal_id}/force': async (ground, call) => {
    const id = await failed(ground)
    const view = await (await call('GET', `/api/v1/proposals/${id}`)).json()
    return { ...proposal(id), body: { over_hash: view.freshness.current_hash } }
  },
  'POST /api/v1/jobs/{job_id}/cancel': async (ground) => job(await addJob(ground, SCOUT, 'Which?')),
  'POST /api/v1/jobs/{job_id}/fail': async (ground) => job(await addJob(ground, SCOUT, 'Why?')),
  'POST /api/v1/jobs/{job_id}/requeue': async (ground) =>
    job(await idOf(ground, sql`SELECT job_id FROM job WHERE failure_kind = 'operator' LIMIT 1`)),
  'POST /api/v1/jobs/{job_id}/replay': async (ground, call) => {
    const id = await addJob(ground, SCOUT, 'Which trees?')
    await call('POST', `/api/v1/jobs/${id}/fail`, { reason: 'To be replayed.' })
    return job(id)
  },
  'POST /api/v1/jobs/bulk/execute': async (_ground, call) => {
    const filter = { status: 'DEAD' }
    const preview = await (
      await call('POST', '/api/v1/jobs/bulk/preview', { action: 'requeue', filter })
    ).json()
    return { body: { token: preview.token, typed_count: preview.count } }
  },
  'GET /api/v1/notes/compare': async (_ground, call) => {
    const { items } = await (await call('GET', `/api/v1/notes/history?path=${NOTE}`)).json()
    return { query: { path: NOTE, to: items[0].revision } }
  },
  'GET /api/v1/runs/compare': async (ground) => {
    const [a, b] = [await ANY.run_id?.(ground), await ANY.run_id?.(ground)]
    return { query: { a: a ?? '', b: b ?? '' } }
  },
  // Of an agent that has room in its queue for one more.
  'POST /api/v1/runs/{run_id}/rerun': async (ground) => ({
    path: {
      run_id: await idOf(
        ground,
        sql`SELECT run_id FROM run ended WHERE status = 'completed' ORDER BY
            (SELECT count(*) FROM run WHERE run.agent_slug = ended.agent_slug AND run.status = 'queued') LIMIT 1`,
      ),
    },
  }),
  'POST /api/v1/runs/{run_id}/cancel': async (ground) => ({
    path: { run_id: await addRun(ground, SCOUT, 'Which notes are old?') },
  }),
  'POST /api/v1/questions/{question_id}/answer': async (ground) => ({
    path: { question_id: await openQuestion(ground) },
  }),
  'POST /api/v1/agents/{slug}/activate': (_ground, call) => agentAfter(call),
  'POST /api/v1/agents/{slug}/pause': (_ground, call) => agentAfter(call, 'activate'),
  'POST /api/v1/agents/{slug}/resume': (_ground, call) => agentAfter(call, 'activate', 'pause'),
  'POST /api/v1/agents/{slug}/recover': failingAgent,
  'POST /api/v1/agents/{slug}/archive': (_ground, call) => agentAfter(call),
  'POST /api/v1/agents/{slug}/delete': async (_ground, call) => ({
    ...(await agentAfter(call, 'archive')),
    body: { confirm: GARDENER },
  }),
  'POST /api/v1/agents/{slug}/restore': (_ground, call) => agentAfter(call, 'archive'),
  'GET /api/v1/nodes/view': async (_ground, call) => {
    await call('POST', '/api/v1/nodes', { node_id: 'shed-pi' })
    return {}
  },
  'POST /api/v1/zones/enter': async (ground) => {
    const input = { name: 'Example', description: '', folders: ['Beds'], tags: [], minutes: 60 }
    const { zone, code } = given(await createZone(ground, input, OWNER))
    return { body: { zone_id: zone.zone_id, code } }
  },
}
