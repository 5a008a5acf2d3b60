/** The frontmatter of `_agent.md` as a schema; what the fields mean together is checked beside it ([agents#the-definition-file]). */
import semver from 'semver'
import { z } from 'zod'
import { TRIGGER_EVENTS } from '#contracts/agent-triggers.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { TASK_NAMES } from './task-names.ts'

const AGENT_TOOLS = [
  'notebooklm-query',
  'read-context',
  'read-notes',
  'search-notes',
  'read-memory',
  'propose-memory-update',
  'write-memory',
  'read-drakon',
  'create-proposal',
  'ask-person',
] as const
/** Tools that make a safe output; an agent has at least one of them. */
export const OUTPUT_TOOLS: readonly string[] = ['create-proposal', 'propose-memory-update', 'write-memory']
const SAFE_OUTPUTS = [
  'propose-edit',
  'propose-note',
  'propose-tag',
  'propose-summary',
  'propose-comment',
  'memory-update',
  'logic-update',
] as const
const MODEL = /^(extractive|worker\/\*|(worker|anthropic|openai|google)\/[A-Za-z0-9][A-Za-z0-9._:-]*)$/

const text = z.string().trim().min(1, 'must not be empty')
const moment = z.union([z.date(), text])
export const frontmatter = z.object({
  name: text,
  description: text,
  created_by: text,
  slug: z.string().regex(PATTERNS.slug, 'must be lower-case letters, digits and hyphens'),
  version: z.string().refine((v) => semver.valid(v) !== null, 'must be a version such as 1.0.0'),
  model: z.string().regex(MODEL, 'is not a model that can be used here'),
  task: z.enum(TASK_NAMES).optional(),
  tools: z.array(z.enum(AGENT_TOOLS)).min(1),
  safe_outputs: z.array(z.enum(SAFE_OUTPUTS)).min(1),
  status: z.enum(agentMachine.states),
  created_at: moment,
  updated_at: moment,
  temperature: z.number().min(0).max(1).optional(),
  max_steps: z.number().int().min(1).max(20).optional(),
  triggers: z
    .object({
      manual: z.boolean().optional(),
      cron: z.string().nullish(),
      zone: z.string().nullish(),
      events: z.array(z.enum(TRIGGER_EVENTS)).optional(),
    })
    .optional(),
  context: z
    .object({
      folder: z.string().optional(),
      max_sources: z.number().int().min(0).max(100).optional(),
      notebook_id: z.string().nullish(),
      memory_mode: z.enum(['basic', 'wide']).optional(),
      budget_tokens: z.number().int().min(100).max(200_000).optional(),
    })
    .optional(),
  generated_from: z.string().nullish(),
})
