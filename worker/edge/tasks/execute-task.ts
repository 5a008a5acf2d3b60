/**
 * One task on this node, from its lease to its report [edge#work].
 *
 *   context → running → ended → reported
 *                 ↘ lease lost (lease-beats.ts): killed within 5 s, nothing is reported
 */
import { createRedactor } from '#domain/secret/redact.rules.ts'
import { envelopeOf } from '#domain/task/program-envelope.rules.ts'
import { type SecretSettings, secretsOf } from '../config/secret-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import { loadContext, tokensOf, withContext } from './context-files.ts'
import { startBeats } from './lease-beats.ts'
import { type ProgramEnd, runProgram } from './run-program.ts'
import type { Reporter, Work } from './runtime-client.ts'
import { definitionArguments, emptyFolder, makeTaskFolder, removeTaskFolder } from './task-folder.ts'
import { taskRoot } from './task-root.ts'

export type Report = {
  status: 'succeeded' | 'failed' | 'timed_out'
  output?: string
  error_message?: string
  error_code?: string
  partial_output?: string
  metrics: { duration_ms: number; tokens_used: number | null; model: string | null; provider: string | null }
}
export type Executed = { kind: 'report'; report: Report } | { kind: 'lost' }

type Parts = {
  host: Host
  /** Its secrets are masked in all that is reported. */
  settings: Pick<Settings, 'CLAUDE_BIN'> & SecretSettings
  client: Reporter
  /** Where the project of a context lies on this node; null when it is not registered here. */
  rootOf: (contextId: string) => Promise<string | null>
  /** The node stops: the task is given up. */
  stopped: AbortSignal
}

/** What the program gets of the environment: nothing that could be a key. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TZ|TERM|TMPDIR|LANG|LC_[A-Z]+|XDG_(?:CONFIG|DATA|CACHE)_HOME|CLAUDE_CONFIG_DIR)$/
/** No others are there, whatever the settings of the account allow. */
const READ_ONLY = 'Read,Grep,Glob'
/** Read-only; no hooks, settings or MCP servers that the folder of a project names; no session is kept. */
export const PROGRAM_ARGUMENTS = [
  ...['-p', '--output-format', 'json'],
  ...['--tools', READ_ONLY, '--allowedTools', READ_ONLY],
  ...['--setting-sources', 'user', '--strict-mcp-config'],
  '--no-session-persistence',
]
const PARTIAL_CHARACTERS = 16_000
const OUTPUT_BYTES = 1024 * 1024

export const programEnvironment = ({ env }: Pick<Host, 'env'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => PASSED_ON.test(entry[0]) && entry[1] !== undefined,
    ),
  )

export async function executeTask(parts: Parts, work: Work): Promise<Executed> {
  const { host, settings, client } = parts
  const { job } = work
  const root = await taskRoot(host, await parts.rootOf(job.context_id))
  const mask = maskOf(parts)
  const { budget, timeout_sec } = job.policy
  const asked = tokensOf(job.prompt) + tokensOf(job.definition ?? '')
  const room = budget === 0 ? 0 : Math.max(1, budget - asked)
  const { files, report: contextReport } = await loadContext(root, job.context_hints, room)
  if (budget > 0 && asked > budget)
    return failed({
      error_code: 'budget_exceeded',
      error_message: `What is asked is more than ${budget} tokens, without any file.`,
    })
  const folder = await makeTaskFolder()
  const beats = startBeats({ client, mask }, work, contextReport)
  try {
    const end = await runProgram({
      file: settings.CLAUDE_BIN,
      args: [...PROGRAM_ARGUMENTS, ...(await definitionArguments(folder, job.definition))],
      env: programEnvironment(host),
      cwd: root ?? (await emptyFolder(folder)),
      input: withContext(job.prompt, files),
      limitMs: timeout_sec * 1_000,
      asked: AbortSignal.any([beats.lost, parts.stopped]),
      onText: beats.say,
    })
    if (beats.lost.aborted) return { kind: 'lost' }
    return { kind: 'report', report: reportOf(end, work, mask) }
  } finally {
    beats.stop()
    await removeTaskFolder(folder)
  }
}

/** A program may have read the node's own files: no key of the node leaves it. */
function maskOf({ client, settings }: Pick<Parts, 'client' | 'settings'>): (text: string) => string {
  const own = createRedactor(secretsOf(settings))
  return (text) => client.redactor.text(own.text(text))
}

const failed = (why: { error_code: string; error_message: string }): Executed => ({
  kind: 'report',
  report: {
    status: 'failed',
    ...why,
    metrics: { duration_ms: 0, tokens_used: null, model: null, provider: null },
  },
})

/** What the program's end says: by its own envelope, its exit code, or what stopped it. */
export function reportOf(end: ProgramEnd, { job }: Work, mask: (text: string) => string): Report {
  const clean = (text: string) => mask(text).replaceAll('\0', '').toWellFormed()
  const envelope = end.output === null ? null : envelopeOf(end.output)
  const metrics = {
    duration_ms: end.durationMs,
    tokens_used: envelope?.tokens ?? null,
    model: envelope?.model ?? null,
    provider: envelope ? 'claude-cli' : null,
  }
  const partial = clean(end.output ?? end.tail).slice(-PARTIAL_CHARACTERS)
  const failure = (error_message: string, error_code?: string): Report => ({
    ...{
      status: 'failed',
      error_message: clean(error_message).trim().slice(-2_000) || 'The program said nothing.',
      metrics,
    },
    ...(error_code ? { error_code } : {}),
    ...(partial ? { partial_output: partial } : {}),
  })
  if (end.ended === 'at the limit')
    return {
      ...failure(`timeout exceeded after ${job.policy.timeout_sec} s`, 'timeout'),
      status: 'timed_out',
    }
  if (end.ended === 'asked') return failure('The node was stopped.', 'provider_error')
  if (end.output === null || Buffer.byteLength(end.output) > OUTPUT_BYTES)
    return failure('The output is larger than 1 MiB.', 'output_too_large')
  if (end.code === 127) return failure('The program of CLAUDE_BIN was not found on this node.')
  if (end.code !== 0) return failure(end.tail || `exit code ${end.code}`)
  if (envelope?.isError) return failure(envelope.text)
  const { budget } = job.policy
  if (budget > 0 && metrics.tokens_used !== null && metrics.tokens_used > budget)
    return failure(`${metrics.tokens_used} tokens were used, ${budget} were allowed.`, 'budget_exceeded')
  return { status: 'succeeded', output: clean(envelope ? envelope.text : end.output), metrics }
}
