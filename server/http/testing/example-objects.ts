/**
 * What each example of the API reference needs to be there, made through the product: a new object for every call, so that no example uses up what
 * another wants.
 */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { alertId } from '#domain/kernel/ids.ts'
import { DEMO_AGENTS } from '#prisma/seed/demo-garden.ts'
import { given, OWNER } from '#prisma/seed/scenarios/ground.ts'
import { addJob } from '#prisma/seed/scenarios/jobs.ts'
import * as proposals from '#prisma/seed/scenarios/proposals.ts'
import { addRun } from '#prisma/seed/scenarios/runs.ts'
import { create } from '#server/ledger/create.ts'
import { json } from '#server/ledger/event-fields.ts'
import { transition } from '#server/ledger/transition.ts'
import { registerProject } from '#server/membridge/register-project.ts'
import { createQuestion } from '#server/questions/create-question.ts'
import { agentCaller } from '#server/runs/agent-caller.ts'
import type { Services } from '#server/services.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { EXAMPLE_PASSWORD } from '../examples.ts'

const [LIBRARIAN, GARDENER, SCOUT] = DEMO_AGENTS
/** What is put into the path, the query and the body of an example. */
export type Real = { path?: Record<string, string>; query?: Record<string, string>; body?: object }
export type Call = (method: string, path: string, body?: unknown) => Promise<Response>

/** The one row of a query that has one column. */
async function idOf(ground: Services, statement: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await ground.db.query<Record<string, string>>(statement)
  const [id] = Object.values(rows[0] ?? {})
  if (id === undefined) throw new Error(`nothing answers ${statement.sql}`)
  return id
}

let made = 0
const newProposal = (ground: Services): Promise<string> => {
  made += 1
  return proposals.proposeNote(ground, `Ideas/Example ${made}.md`, `# Example ${made}\n\nA thought.\n`)
}
const approved = async (ground: Services, hold: number): Promise<string> => {
  const id = await newProposal(ground)
  await proposals.approve(ground, id, hold)
  return id
}
const rejected = async (ground: Services, call: Call): Promise<string> => {
  const id = await newProposal(ground)
  await call('POST', `/api/v1/proposals/${id}/reject`, { decision_note: 'Not this year.' })
  return id
}
/** An approved proposal whose file somebody else made meanwhile. */
async function failed(ground: Services): Promise<string> {
  const id = await approved(ground, 0)
  await proposals.commitByHand(ground, `Ideas/Example ${made}.md`, '# Made by hand\n')
  await proposals.applyAll(ground)
  return id
}

const withDigest = async (id: string, call: Call): Promise<Real> => {
  const view = await (await call('GET', `/api/v1/proposals/${id}`)).json()
  return { path: { proposal_id: id }, body: { review_digest: view.review_digest } }
}
const proposal = (id: string): Real => ({ path: { proposal_id: id } })
const job = (id: string): Real => ({ path: { job_id: id } })

/** Takes an agent back to a draft and then on to where the example begins. */
async function agentAfter(call: Call, ...steps: string[]): Promise<Real> {
  const ask = (step: string) => call('POST', `/api/v1/agents/${GARDENER}/${step}`, {})
  for (const step of ['archive', 'restore', ...steps]) await ask(step)
  return { path: { slug: GARDENER } }
}
async function failingAgent(ground: Services, call: Call): Promise<Real> {
  const agent = await agentAfter(call, 'activate')
  await ground.db.query(sql`UPDATE agent SET status = 'error' WHERE slug = ${GARDENER}`)
  return agent
}

/** An open alert; each is about a disk of its own. */
async function openAlert(ground: Services): Promise<string> {
  const [id, at] = [alertId(randomUUID()), new Date()]
  const about = {
    rule: 'StorageFull',
    resource: id,
    severity: 'warning',
    condition: 'storage_used',
    value: 0.9,
  }
  await create(ground.db, {
    machine: 'alert',
    actor: OWNER,
    values: { alert_id: id, ...about, read_at: at, opened_at: at },
  })
  return id
}

/** An open question of a run that waits for its answer. */
async function openQuestion(ground: Services): Promise<string> {
  const [runId, questionId] = [await addRun(ground, SCOUT, 'Which beds rest?'), randomUUID()]
  await transition(ground.db, {
    machine: 'run',
    event: 'start',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.run_id = ${runId}`,
    set: sql`fence = t.fence + 1, started_at = clock_timestamp(), current_step = 2, parked_at = clock_timestamp(),
      waiting_on = ${json({ kind: 'question', id: questionId })}`,
    returning: ['run_id'],
  })
  const asked = { text: 'Which bed do you mean?', choices: ['Beds/North.md', 'Beds/South.md'] }
  await createQuestion(
    ground.db,
    { questionId, runId, agentSlug: SCOUT, callIndex: 0, asked },
    agentCaller(SCOUT),
  )
  return questionId
}

/** A project of Membridge that nobody leads yet. */
async function newMembridgeProject(ground: Services): Promise<string> {
  made += 1
  return given(await registerProject(ground, { name: `example-${made}` }, OWNER)).canonical_id
}

type Make = (ground: Services, call: Call) => Promise<Real>
const pending: Make = async (ground) => proposal(await newProposal(ground))

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

/** A key of a node of its own. */
const machineKey: Make = async (_ground, call) => {
  made += 1
  const body = { node_id: `node-${made}`, name: 'Example' }
  const { key } = await (await call('POST', '/api/v1/keys', body)).json()
  return { path: { key_id: key.key_id } }
}

/** An operator that nobody else uses. */
const operator: Make = async (_ground, call) => {
  made += 1
  const body = { name: `helper-${made}`, password: EXAMPLE_PASSWORD }
  const { account_id } = await (await call('POST', '/api/v1/accounts', body)).json()
  return { path: { account_id } }
}

/** A project and an agent that nobody else uses. */
const membridgePair: Make = async (_ground, call) => {
  made += 1
  const [project, agent] = [`project-${made}`, `agent-${made}`]
  await call('POST', '/api/v1/membridge/projects', { name: project })
  await call('POST', '/api/v1/membridge/agents', { name: agent, url: 'http://127.0.0.1:9' })
  return { body: { project, agent } }
}
const nodeSync: Make = async (ground, call) => {
  const { body } = await membridgePair(ground, call)
  const asked = { ...body, reason: 'Example' }
  const { id } = await (await call('POST', '/api/v1/membridge/sync/push', asked)).json()
  return { path: { sync_id: id } }
}

/** A rule that nobody else uses, and the dry run of it. */
const approvalRule: Make = async (_ground, call) => {
  const body = { name: 'Example', ...EXAMPLE_RULE }
  const { rule_id } = await (await call('POST', RULES, body)).json()
  return { path: { rule_id } }
}
const testedRule: Make = async (ground, call) => {
  const { dry_run_token } = await (await call('POST', `${RULES}/dry-run`, { rule: EXAMPLE_RULE })).json()
  return { ...(await approvalRule(ground, call)), body: { dry_run_token } }
}
const RULES = '/api/v1/proposals/rules'
const EXAMPLE_RULE = { condition: { agent: 'nobody' }, daily_cap: 1, expires_at: '2099-01-01T00:00:00.000Z' }

/** The makers by address. */
const NOTE = 'Beds/North bed.md'

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
    const text = `# Example ${made}\n\nAnother thought.\n`
    return { path, body: { ...body, changes: [{ path: `Ideas/Example ${made}.md`, text }] } }
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
