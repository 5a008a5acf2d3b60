import { z } from 'zod'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { agentTriggers } from './agent-triggers.contract.ts'

/** Agents as the console and the API show them. */
const time = z.string()
const agentStatus = z.enum(agentMachine.states)

/** The states the owner may give an agent's definition; `create`, `break` and `delete` have other operations. */
export const AGENT_COMMANDS = ['activate', 'pause', 'resume', 'recover', 'archive', 'restore'] as const
export type AgentCommand = (typeof AGENT_COMMANDS)[number]

/** A fault of `_agent.md`, with its line in the file where one is known; only errors keep an agent from becoming active. */
export const agentProblem = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  message: z.string(),
  line: z.number().nullable(),
})
export type AgentProblem = z.infer<typeof agentProblem>

/** The longest definition, in characters, that is read at all; the limit of a valid one is 4 000 tokens. */
export const MAX_DEFINITION_CHARS = 64_000

const runRef = z.object({ run_id: z.string(), status: z.enum(runMachine.states), requested_at: time })

export const agentCard = z.object({
  slug: z.string(),
  status: agentStatus,
  name: z.string(),
  description: z.string(),
  version: z.string(),
  model: z.string(),
  tools: z.array(z.string()),
  safe_outputs: z.array(z.string()),
  /** The status that the file's frontmatter states; the row's own status is the one that counts. */
  file_status: z.string().nullable(),
  problems: z.array(agentProblem),
  failed_in_row: z.number(),
  error: z.object({ code: z.string(), message: z.string(), run_ids: z.array(z.string()) }).nullable(),
  /** Exact below `RUNS_COUNTED`. */
  runs_total: z.number(),
  runs_waiting: z.number(),
  running: runRef.nullable(),
  last_run: runRef.nullable(),
  /** The last five runs, newest first. */
  recent_runs: z.array(runRef),
  /** Proposals of the agent that were decided, the latest `DECISIONS_COUNTED` at most, and those of them that were approved. */
  proposals_decided: z.number(),
  proposals_approved: z.number(),
  /** Whether it reads text of others, so that what it proposes is tainted. */
  tainted: z.boolean(),
  triggers: agentTriggers,
  /** When its schedule starts it next; null without a schedule, and while it is not active. */
  next_run_at: time.nullable(),
  /** The commands that would be accepted now. */
  allowed: z.array(z.enum(AGENT_COMMANDS)),
  revision: z.string(),
  updated_at: time,
})
export type AgentCard = z.infer<typeof agentCard>

export const agentDetail = agentCard.extend({
  instructions: z.string(),
  /** The frontmatter as it stands at `revision`. */
  definition: z.record(z.string(), z.unknown()),
  sha256: z.string(),
  file: z.string(),
  /** The whole file at the garden's head, to be edited; null when it is gone. */
  source: z.object({ text: z.string(), sha256: z.string() }).nullable(),
  sources: z.array(z.string()),
  created_at: time,
})
export type AgentDetail = z.infer<typeof agentDetail>

export const agentListInput = z
  .object({ status: agentStatus.optional(), q: z.string().max(200).optional() })
  .strict()
export type AgentListInput = z.infer<typeof agentListInput>
export const agentList = z.object({ items: z.array(agentCard) })
export type AgentList = z.infer<typeof agentList>

export const agentSlugInput = z.object({ slug: z.string().regex(PATTERNS.slug) }).strict()

/** A status command: at once a Proposal on the frontmatter's `status` and its approval, without hold. */
export const agentCommandInput = z
  .object({
    slug: z.string().regex(PATTERNS.slug),
    command: z.enum(AGENT_COMMANDS),
    reason: z.string().trim().max(1_000).optional(),
  })
  .strict()
export type AgentCommandInput = z.infer<typeof agentCommandInput>
export const agentCommanded = z.object({
  slug: z.string(),
  status: agentStatus,
  /** The proposal that carries the frontmatter's change; null when the file said so already. */
  proposal_id: z.string().nullable(),
  unchanged: z.boolean(),
})
export type AgentCommanded = z.infer<typeof agentCommanded>

/** `POST /agents/{slug}/delete`: proposes to delete the file of an archived agent; `confirm` repeats the slug. */
export const agentDeleteInput = z
  .object({
    slug: z.string().regex(PATTERNS.slug),
    confirm: z.string(),
    reason: z.string().trim().max(1_000).optional(),
  })
  .strict()
export type AgentDeleteInput = z.infer<typeof agentDeleteInput>
export const agentDeletion = z.object({ slug: z.string(), proposal_id: z.string(), unchanged: z.boolean() })
export type AgentDeletion = z.infer<typeof agentDeletion>

/** A definition as it is being written: judged as the gate would, nothing is stored. */
export const definitionCheckInput = z
  .object({
    slug: z.string().max(64),
    text: z.string().max(MAX_DEFINITION_CHARS),
    /** The file does not exist yet, and is to be created. */
    create: z.boolean(),
  })
  .strict()
export type DefinitionCheckInput = z.infer<typeof definitionCheckInput>
export const definitionCheck = z.object({
  problems: z.array(agentProblem),
  /** The next times of its schedule, at most three. */
  next_runs: z.array(time),
})
export type DefinitionCheck = z.infer<typeof definitionCheck>
