/**
 * The owner's commands to an agent ([agents#transitions]): activate, pause, resume, recover, archive, restore.
 *
 * One transaction holds all of it: the guarded transition of the agent, the inbox entry and the proposal that change `status` in the
 * file's frontmatter, and its approval without hold. Either everything happens or nothing; the apply engine then makes the one commit. A
 * command whose outcome holds already changes nothing; one that may not happen is 409 with the commands that may.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { AgentCommanded, AgentCommandInput, AgentProblem } from '#contracts/agent.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { commandFault, fileStatusAfter, liveCommands, type OwnerCommand } from '#domain/agent/agent.rules.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING } from '#domain/run/run.rules.ts'
import { submitEntry } from '#server/inbox/submit-entry.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { approveProposal } from '#server/proposals/decide-proposal.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import { findProposal } from '#server/proposals/proposal-row.ts'
import type { Services } from '#server/services.ts'
import { FILE_MISSING } from './agent-fields.ts'
import type { AgentRow } from './agent-row.ts'
import { installationProblems, unservedProblems } from './judge-definition.ts'
import { projectAgentState } from './project-agent-state.ts'
import { definitionPath, readDefinition, withFileStatus } from './read-definition.ts'

type Parts = Pick<Services, 'db' | 'garden' | 'env' | 'store' | 'log' | 'entryHandlers' | 'executors'>
type Situation = { agent: AgentRow; running: number; problems: AgentProblem[]; text: string | null }

export async function changeAgentStatus(
  parts: Parts,
  input: AgentCommandInput,
  caller: Caller,
): Promise<Result<AgentCommanded>> {
  const before = await readSituation(parts, input.slug)
  if (!before) return refuse({ code: 'NOT_FOUND', message: 'There is no such agent.' })
  const { agent } = before
  const edge = agentMachine.events[input.command]
  const fault = commandFault(input.command, facts(before))
  if (fault === 'transition' && agent.status === edge.to) {
    return ok({ slug: agent.slug, status: agent.status, proposal_id: null, unchanged: true })
  }
  if (fault) return refused(parts.db, input.command, before, fault, caller)
  try {
    const done = await parts.db.transaction((tx) => command(parts, tx, before, input, caller))
    await projectAgentState(parts, agent.slug).catch((err) => parts.log.warn({ err }, 'state.json is behind'))
    return ok(done)
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal }
    throw error
  }
}

const facts = ({ agent, running, problems }: Situation) => ({
  status: agent.status,
  running,
  errors: problems.filter((p) => p.severity === 'error').length,
})

async function readSituation(parts: Parts, slug: string): Promise<Situation | null> {
  const { rows } = await parts.db.query<AgentRow & { running: number }>(
    sql`SELECT a.*, (SELECT count(*)::int FROM run r WHERE r.agent_slug = a.slug AND r.status = ${IN_RUNNING}) AS running FROM agent a WHERE a.slug = ${slug}`,
  )
  const agent = rows[0]
  if (!agent) return null
  const file = await readDefinition(parts.garden, slug, await parts.garden.head())
  const problems = file
    ? [
        ...file.problems,
        ...installationProblems(file.definition, file.text, parts.executors),
        ...(await unservedProblems(file.definition, file.text, { ...parts, severity: 'error' })),
      ]
    : [FILE_MISSING]
  return { agent, running: agent.running, problems, text: file?.text ?? null }
}

async function refused(
  db: Db,
  command: OwnerCommand,
  situation: Situation,
  fault: 'transition' | 'checks' | 'running',
  caller: Caller,
): Promise<Result<never>> {
  const { agent, problems } = situation
  const code = fault === 'checks' ? 'VALIDATION_FAILED' : 'INVALID_AGENT_TRANSITION'
  await recordEvent(db, {
    name: 'agent.refused',
    actor: caller,
    resource: { type: 'agent', id: agent.slug },
    refs: { agent: agent.slug },
    outcome: 'refused',
    errorCode: code,
    from: agent.status,
    details: { event: command, why: fault },
  })
  const message = {
    transition: `An agent that is ${agent.status} cannot ${command}.`,
    checks: 'The definition has errors. Correct the file and try again.',
    running: 'The agent has a running run. Wait until it ends or cancel it.',
  }[fault]
  const details =
    fault === 'checks'
      ? problems.map((p) => ({
          field: p.line === null ? '_agent.md' : `_agent.md:${p.line}`,
          message: p.message,
        }))
      : { from: agent.status, event: command, allowed: liveCommands(facts(situation)) }
  return refuse({ code, message, details })
}

const IN_RUNNING = state(runMachine, RUNNING)
const CLEARS: readonly OwnerCommand[] = ['activate', 'resume', 'recover', 'pause']

async function command(
  parts: Parts,
  tx: Db,
  { agent, text }: Situation,
  input: AgentCommandInput,
  caller: Caller,
): Promise<AgentCommanded> {
  const guard: Sql =
    input.command === 'archive'
      ? sql` AND NOT EXISTS (SELECT 1 FROM run r WHERE r.agent_slug = o.slug AND r.status = ${IN_RUNNING})`
      : sql``
  const moved = await transition(tx, {
    machine: 'agent',
    event: input.command,
    actor: caller,
    reason: input.reason,
    where: sql`o.slug = ${agent.slug} AND o.status = ${agent.status}${guard}`,
    set: CLEARS.includes(input.command) ? sql`error = NULL, failed_in_row = 0` : sql`error = t.error`,
    returning: ['status'],
  })
  if (!moved[0])
    throw new Refused(
      'CONCURRENT_MODIFICATION',
      'The agent has changed in the meantime. Reload and try again.',
    )
  const next = text === null ? null : withFileStatus(text, fileStatusAfter(input.command))
  const proposalId =
    next === null || next === text ? null : await proposeAndApprove(parts, tx, agent, input, next, caller)
  return { slug: agent.slug, status: moved[0].status, proposal_id: proposalId, unchanged: false }
}

/** Proposes the file's change and approves it at once, with the review digest of this moment. */
async function proposeAndApprove(
  parts: Parts,
  tx: Db,
  agent: AgentRow,
  { command, reason }: AgentCommandInput,
  text: string,
  caller: Caller,
): Promise<string> {
  const submitted = await submitEntry(
    { ...parts, db: tx },
    {
      intent: {
        action: 'propose-edit',
        target: definitionPath(agent.slug),
        payload: {
          diff: { type: 'replace', text },
          summary: `Agent ${agent.slug}: ${command}`,
          reasoning: reason || `The owner's command: ${command}.`,
        },
      },
    },
    { ...caller, correlationId: crypto.randomUUID() },
  )
  const id = submitted.ok ? submitted.value.resolution?.id : duplicateOf(submitted.refusal)
  const row = id ? await findProposal(tx, id) : null
  if (!row) {
    const { code, message } = submitted.ok
      ? { code: 'STORAGE_UNAVAILABLE' as const, message: 'The garden does not answer. Try again later.' }
      : submitted.refusal
    throw new Refused(code, message)
  }
  const digest = reviewDigest(row, await standingAgainst(await currentContent(parts.garden), row.changes))
  const approved = await approveProposal(
    { db: tx, garden: parts.garden, env: { ...parts.env, APPLY_HOLD_SECONDS: 0 } },
    { proposal_id: row.proposal_id, review_digest: digest },
    caller,
  )
  if (!approved.ok) throw new Refused(approved.refusal.code, approved.refusal.message)
  return row.proposal_id
}

/** The same change is proposed already: then that proposal is approved. */
const duplicateOf = ({ code, details }: { code: string; details?: unknown }): string | undefined =>
  code === 'DUPLICATE_ENTRY' ? (details as { proposal_id?: string }).proposal_id : undefined
