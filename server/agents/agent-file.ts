/**
 * Reads and checks the text of `_agent.md` ([agents#the-definition-file]): frontmatter as YAML, body as instructions. Every fault is a
 * problem with its line; an error keeps the agent from becoming active, a warning does not. Anybody may have written the garden's text, so
 * nothing in it makes this throw, and what comes out holds no text that the ledger could not store.
 */
import { LineCounter, parseDocument } from 'yaml'
import type { AgentProblem } from '#contracts/agent.contract.ts'
import { type AgentTriggers, TRIGGER_EVENTS } from '#contracts/agent-triggers.contract.ts'
import { frontmatterFault } from '#domain/garden/frontmatter-measure.rules.ts'
import { budgetMessage } from '#domain/garden/note-budget.rules.ts'
import { frontmatterLines } from '#domain/garden/note-text.rules.ts'
import { type AgentDefinition, estimateTokens } from '#server/ports/agent-executor.ts'
import { scheduleFault } from './cron-slots.ts'
import { frontmatter, OUTPUT_TOOLS } from './frontmatter-schema.ts'
import { holdsUnstorable, isStorable, storable } from './storable-text.ts'

const MAX_TOKENS = 4_000

/** The problem of a model that nothing here executes. */
export const MODEL_UNAVAILABLE = 'model_unavailable'
/** The problem of a text that the ledger cannot hold; it is left out. */
const TEXT_INVALID = 'text_invalid'
const UNSTORABLE = 'holds a NUL or half a character'
const KNOWN = new Set(Object.keys(frontmatter.shape))

export type AgentFile = {
  version: string
  definition: AgentDefinition
  triggers: AgentTriggers
  frontmatter: Record<string, unknown>
  problems: AgentProblem[]
  maxSources: number
  memoryMode: 'basic' | 'wide'
  budgetTokens: number | null
}

/** The line of a key of the frontmatter, or null. */
export function lineOfKey(source: string, key: string): number | null {
  const at = source
    .split('\n')
    .slice(0, frontmatterLines(source))
    .findIndex((line) => line.startsWith(`${key}:`))
  return at < 0 ? null : at + 1
}

/** The file's definition as far as it can be read, with its problems; `slug` is the folder it lies in. */
export function parseAgentFile(text: string, slug: string): AgentFile {
  const source = storable(text)
  const lines = source.split('\n')
  const end = frontmatterLines(source)
  const body = lines.slice(end).join('\n').trim()
  const problems: AgentProblem[] = []
  const say = (
    severity: AgentProblem['severity'],
    code: string,
    message: string,
    line: number | null = null,
  ) => problems.push({ severity, code, message, line })
  if (source !== text) {
    const line = text.split('\n').findIndex((one) => !isStorable(one)) + 1
    say('error', TEXT_INVALID, `The file ${UNSTORABLE}.`, line)
  }
  if (end === 0) say('error', 'frontmatter_missing', 'The file has no frontmatter.', 1)
  const { values, lineOf } = readYaml(lines.slice(1, Math.max(1, end - 1)).join('\n'), say)
  const parsed = frontmatter.safeParse(values)
  if (end > 0) {
    for (const issue of parsed.error?.issues ?? []) {
      const [key = '', inner] = issue.path.map(String)
      const code = key === 'model' && values.model ? MODEL_UNAVAILABLE : 'frontmatter_invalid'
      say('error', code, `${issue.path.join('.')}: ${issue.message}`, lineOf(key, inner))
    }
    for (const key of Object.keys(values)) {
      if (!KNOWN.has(key)) say('warning', 'key_unknown', `${key} is not a known key.`, lineOf(key))
    }
  }
  checkMeaning(values, slug, say, lineOf)
  if (body === '') say('warning', 'body_empty', 'The file has no instructions.', lines.length)
  if (estimateTokens(source) > MAX_TOKENS) {
    say('error', 'too_long', `The file is longer than ${MAX_TOKENS} tokens.`)
  }
  return { ...settled(values, slug, body), frontmatter: values, problems }
}

type LineOf = (key: string, inner?: string) => number | null
type Say = (severity: AgentProblem['severity'], code: string, message: string, line?: number | null) => void

function readYaml(given: string, say: Say) {
  const fault = frontmatterFault(given)
  if (fault) say('error', 'frontmatter_too_large', `The frontmatter has ${budgetMessage(fault)}.`, 1)
  const yaml = fault ? '' : given
  const counter = new LineCounter()
  const document = parseDocument(yaml, { lineCounter: counter, logLevel: 'silent' })
  for (const error of document.errors) {
    say(
      'error',
      'yaml_invalid',
      error.message.split('\n')[0] ?? 'bad YAML',
      (error.linePos?.[0].line ?? 0) + 1,
    )
  }
  const plain = document.errors.length > 0 ? {} : safely(() => document.toJS({ maxAliasCount: 0 }))
  const values = (
    typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? plain : {}
  ) as Record<string, unknown>
  const lines = yaml.split('\n')
  const lineOf: LineOf = (key, inner) => {
    const at = lines.findIndex((line) => line.startsWith(`${key}:`))
    const below = inner
      ? lines.findIndex((line, i) => i > at && line.trimStart().startsWith(`${inner}:`))
      : -1
    return at < 0 ? null : Math.max(at, below) + 2
  }
  const json = JSON.parse(JSON.stringify(values)) as Record<string, unknown>
  for (const [key, value] of Object.entries(json)) {
    if (holdsUnstorable({ [key]: value }))
      say('error', TEXT_INVALID, `${storable(key)} ${UNSTORABLE}.`, lineOf(key))
  }
  return { values: storable(json), lineOf }
}

function safely<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function checkMeaning(values: Record<string, unknown>, slug: string, say: Say, lineOf: LineOf): void {
  if (typeof values.slug === 'string' && values.slug !== slug) {
    say('error', 'slug_differs', `slug is ${values.slug}, but the folder is ${slug}.`, lineOf('slug'))
  }
  const tools = strings(values.tools)
  if (tools.length > 0 && !tools.some((t) => OUTPUT_TOOLS.includes(t))) {
    say('error', 'no_output_tool', 'No tool makes a safe output.', lineOf('tools'))
  }
  const { cron, zone } = triggersOf(values)
  const fault = cron === null ? null : scheduleFault({ cron, zone })
  if (fault) {
    const line = lineOf('triggers', fault.field) ?? lineOf('triggers')
    say('error', 'schedule_invalid', `triggers.${fault.field}: ${fault.message}`, line)
  }
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : []
const numberOr = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise

const isEvent = (name: string): name is AgentTriggers['events'][number] =>
  (TRIGGER_EVENTS as readonly string[]).includes(name)

/** What starts runs of the agent; faulty parts are left out. */
export function triggersOf(values: Record<string, unknown>): AgentTriggers {
  const { manual, cron, zone, events } = (values.triggers ?? {}) as Record<string, unknown>
  return {
    manual: manual !== false,
    cron: typeof cron === 'string' && cron.trim() !== '' ? cron.trim() : null,
    zone: typeof zone === 'string' && zone.trim() !== '' ? zone.trim() : 'UTC',
    events: [...new Set(strings(events).filter(isEvent))],
  }
}

/** What is used of a definition, with the contract's defaults. */
function settled(values: Record<string, unknown>, slug: string, body: string) {
  const version = typeof values.version === 'string' ? values.version : '0.0.0'
  const context = (values.context ?? {}) as Record<string, unknown>
  return {
    version,
    definition: {
      slug,
      version,
      model: typeof values.model === 'string' ? values.model : 'extractive',
      tools: strings(values.tools),
      safe_outputs: strings(values.safe_outputs),
      max_steps: numberOr(values.max_steps, 5),
      task: typeof values.task === 'string' ? values.task : null,
      body,
    },
    triggers: triggersOf(values),
    maxSources: numberOr(context.max_sources, 10),
    memoryMode: context.memory_mode === 'wide' ? ('wide' as const) : ('basic' as const),
    budgetTokens: typeof context.budget_tokens === 'number' ? context.budget_tokens : null,
  }
}
