/**
 * What is wrong with a definition that is proposed: the faults of its text, a model that nothing here executes, tools that are not
 * configured, and a version that does not rise. The gate, the editor's live check and activation all ask here.
 */
import canonicalize from 'canonicalize'
import semver from 'semver'
import type { AgentProblem } from '#contracts/agent.contract.ts'
import { frontmatterLines } from '#domain/garden/note-text.rules.ts'
import type { AgentExecutors } from '#server/ports/agent-executor.ts'
import { isServed, TOOLS_NOT_CONFIGURED } from '#server/ports/agent-executor.ts'
import { type AgentFile, lineOfKey, MODEL_UNAVAILABLE, parseAgentFile } from './agent-file.ts'

export type ProposedDefinition = {
  slug: string
  text: string
  /** The text that it replaces; null for a new agent. */
  before: string | null
}

/** What the gate holds against it. A command of the owner changes nothing but `status`, whatever else the file says. */
export const gateProblems = (proposed: ProposedDefinition, executors: AgentExecutors): AgentProblem[] =>
  proposed.before !== null && withoutStatus(proposed.before) === withoutStatus(proposed.text)
    ? []
    : judgeDefinition(proposed, executors).filter((p) => p.severity === 'error')

function withoutStatus(text: string): string {
  const end = frontmatterLines(text)
  return text
    .split('\n')
    .filter((line, i) => i >= end || !/^(status|updated_at)\s*:/.test(line))
    .join('\n')
}

/** All problems; only errors keep the definition out. */
export function judgeDefinition(
  { slug, text, before }: ProposedDefinition,
  executors: AgentExecutors,
): AgentProblem[] {
  const file = parseAgentFile(text, slug)
  const here = installationProblems(file.definition, text, executors)
  const known = new Set(file.problems.map((p) => p.code))
  const old = before === null ? null : parseAgentFile(before, slug)
  const version = old && versionNotRaised(signOf(old), signOf(file))
  return [
    ...file.problems,
    ...here.filter((p) => !known.has(p.code)),
    ...(version ? [{ ...version, severity: 'error' as const, line: lineOfKey(text, 'version') }] : []),
  ]
}

/** What this installation cannot do of a definition: a matter of its configuration, not of the file. */
export function installationProblems(
  { model, tools }: { model: string; tools: readonly string[] },
  text: string,
  executors: AgentExecutors,
): AgentProblem[] {
  const missing = TOOLS_NOT_CONFIGURED.filter((tool) => tools.includes(tool))
  const unavailable = model !== '' && executors.find(model) === null
  return [
    ...(unavailable
      ? [
          {
            severity: 'error' as const,
            code: MODEL_UNAVAILABLE,
            message: `The model ${model} is not configured here.`,
            line: lineOfKey(text, 'model'),
          },
        ]
      : []),
    ...missing.map((tool) => ({
      severity: 'warning' as const,
      code: 'tool_not_configured',
      message: `The tool ${tool} is not configured here.`,
      line: lineOfKey(text, 'tools'),
    })),
  ]
}

/** A model that something here executes and that nobody is registered to answer for: an error where the agent is to begin, else a warning. */
export async function unservedProblems(
  { model }: { model: string },
  text: string,
  { executors, severity }: { executors: AgentExecutors; severity: AgentProblem['severity'] },
): Promise<AgentProblem[]> {
  if (executors.find(model) === null || (await isServed(executors, model))) return []
  const message = `No Worker Node is registered that could answer for ${model}.`
  return [{ severity, code: 'model_unserved', message, line: lineOfKey(text, 'model') }]
}

type Signed = { version: string; frontmatter: Record<string, unknown>; body: string }
const signOf = ({ version, frontmatter, definition }: AgentFile): Signed => ({
  version,
  frontmatter,
  body: definition.body,
})

/** The version rises with each edit of what the agent does; a change of `status` alone is the owner's command. */
export function versionNotRaised(before: Signed, after: Signed): AgentProblem | null {
  const content = ({ frontmatter: { status: _, updated_at: __, ...rest }, body }: Signed) =>
    canonicalize({ rest, body })
  if (content(before) === content(after)) return null
  if (!semver.valid(before.version) || !semver.valid(after.version)) return null
  if (semver.gt(after.version, before.version)) return null
  const message = `The version is ${after.version}, it was ${before.version}. Raise it with each edit.`
  return { severity: 'warning', code: 'version_not_raised', message, line: null }
}
