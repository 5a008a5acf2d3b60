/**
 * The objects of the examples of the API reference, made through the product: a new object for every call, so that no example uses up what
 * another wants.
 */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { alertId } from '#domain/kernel/ids.ts'
import { DEMO_AGENTS } from '#prisma/seed/demo-garden.ts'
import { given, OWNER } from '#prisma/seed/scenarios/ground.ts'
import * as proposals from '#prisma/seed/scenarios/proposals.ts'
import { addRun } from '#prisma/seed/scenarios/runs.ts'
import { create } from '#server/ledger/create.ts'
import { json } from '#server/ledger/event-fields.ts'
import { transition } from '#server/ledger/transition.ts'
import { registerProject } from '#server/membridge/register-project.ts'
import { createQuestion } from '#server/questions/create-question.ts'
import { agentCaller } from '#server/runs/agent-caller.ts'
import type { Services } from '#server/services.ts'
import { EXAMPLE_PASSWORD } from '../examples.ts'

export const [LIBRARIAN, GARDENER, SCOUT] = DEMO_AGENTS
/** What is put into the path, the query and the body of an example. */
export type Real = { path?: Record<string, string>; query?: Record<string, string>; body?: object }
export type Call = (method: string, path: string, body?: unknown) => Promise<Response>

/** The one row of a query that has one column. */
export async function idOf(ground: Services, statement: ReturnType<typeof sql>): Promise<string> {
  const { rows } = await ground.db.query<Record<string, string>>(statement)
  const [id] = Object.values(rows[0] ?? {})
  if (id === undefined) throw new Error(`nothing answers ${statement.sql}`)
  return id
}

let made = 0
/** The file of the latest proposal. */
export const latestFile = () => `Ideas/Example ${made}.md`
export const newProposal = (ground: Services): Promise<string> => {
  made += 1
  return proposals.proposeNote(ground, latestFile(), `# Example ${made}\n\nA thought.\n`)
}
export const approved = async (ground: Services, hold: number): Promise<string> => {
  const id = await newProposal(ground)
  await proposals.approve(ground, id, hold)
  return id
}
export const rejected = async (ground: Services, call: Call): Promise<string> => {
  const id = await newProposal(ground)
  await call('POST', `/api/v1/proposals/${id}/reject`, { decision_note: 'Not this year.' })
  return id
}
/** An approved proposal whose file somebody else made meanwhile. */
export async function failed(ground: Services): Promise<string> {
  const id = await approved(ground, 0)
  await proposals.commitByHand(ground, latestFile(), '# Made by hand\n')
  await proposals.applyAll(ground)
  return id
}

export const withDigest = async (id: string, call: Call): Promise<Real> => {
  const view = await (await call('GET', `/api/v1/proposals/${id}`)).json()
  return { path: { proposal_id: id }, body: { review_digest: view.review_digest } }
}
export const proposal = (id: string): Real => ({ path: { proposal_id: id } })
export const job = (id: string): Real => ({ path: { job_id: id } })

/** Takes an agent back to a draft and then on to where the example begins. */
export async function agentAfter(call: Call, ...steps: string[]): Promise<Real> {
  const ask = (step: string) => call('POST', `/api/v1/agents/${GARDENER}/${step}`, {})
  for (const step of ['archive', 'restore', ...steps]) await ask(step)
  return { path: { slug: GARDENER } }
}
export async function failingAgent(ground: Services, call: Call): Promise<Real> {
  const agent = await agentAfter(call, 'activate')
  await ground.db.query(sql`UPDATE agent SET status = 'error' WHERE slug = ${GARDENER}`)
  return agent
}

/** An open alert; each is about a disk of its own. */
export async function openAlert(ground: Services): Promise<string> {
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
export async function openQuestion(ground: Services): Promise<string> {
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
export async function newMembridgeProject(ground: Services): Promise<string> {
  made += 1
  return given(await registerProject(ground, { name: `example-${made}` }, OWNER)).canonical_id
}

export type Make = (ground: Services, call: Call) => Promise<Real>
export const pending: Make = async (ground) => proposal(await newProposal(ground))

/** A key of a node of its own. */
export const machineKey: Make = async (_ground, call) => {
  made += 1
  const body = { node_id: `node-${made}`, name: 'Example' }
  const { key } = await (await call('POST', '/api/v1/keys', body)).json()
  return { path: { key_id: key.key_id } }
}

/** An operator that nobody else uses. */
export const operator: Make = async (_ground, call) => {
  made += 1
  const body = { name: `helper-${made}`, password: EXAMPLE_PASSWORD }
  const { account_id } = await (await call('POST', '/api/v1/accounts', body)).json()
  return { path: { account_id } }
}

/** A project and an agent that nobody else uses. */
export const membridgePair: Make = async (_ground, call) => {
  made += 1
  const [project, agent] = [`project-${made}`, `agent-${made}`]
  await call('POST', '/api/v1/membridge/projects', { name: project })
  await call('POST', '/api/v1/membridge/agents', { name: agent, url: 'http://127.0.0.1:9' })
  return { body: { project, agent } }
}
export const nodeSync: Make = async (ground, call) => {
  const { body } = await membridgePair(ground, call)
  const asked = { ...body, reason: 'Example' }
  const { id } = await (await call('POST', '/api/v1/membridge/sync/push', asked)).json()
  return { path: { sync_id: id } }
}

/** A rule that nobody else uses, and the dry run of it. */
export const approvalRule: Make = async (_ground, call) => {
  const body = { name: 'Example', ...EXAMPLE_RULE }
  const { rule_id } = await (await call('POST', RULES, body)).json()
  return { path: { rule_id } }
}
export const testedRule: Make = async (ground, call) => {
  const { dry_run_token } = await (await call('POST', `${RULES}/dry-run`, { rule: EXAMPLE_RULE })).json()
  return { ...(await approvalRule(ground, call)), body: { dry_run_token } }
}
export const RULES = '/api/v1/proposals/rules'
const EXAMPLE_RULE = { condition: { agent: 'nobody' }, daily_cap: 1, expires_at: '2099-01-01T00:00:00.000Z' }
