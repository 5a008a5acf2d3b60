import type { NodeAction, NodeCommandAnswer } from '#contracts/node-agent.contract.ts'
import { canonicalIdOf } from '../identity.ts'
import type { Agent } from './agent.ts'
import { COMMAND_LIMITS, type CommandEnd } from './run-command.ts'

/**
 * A push, pull or doctor that a caller asks for: the node's own command line runs it, and the answer says how it ended [edge#commands-of-the-agent].
 * In a dry run nothing is started. The runner masks what is shown, though no command prints a key.
 */
export type Asked = { action: NodeAction; project: string; noRestartWorker?: boolean; requestId: string }

export async function runAsked(agent: Agent, asked: Asked): Promise<NodeCommandAnswer> {
  const { action, project } = asked
  const { host, loaded, log } = agent
  const about = { action, project, canonical_id: canonicalIdOf(project), hostname: host.name }
  const line = { action, project, request_id: asked.requestId }
  if (loaded.values.MEMBRIDGE_AGENT_DRYRUN) {
    const detail = `[DRYRUN] Would execute ${action} for project '${project}' (canonical_id=${about.canonical_id})`
    log('INFO', 'dry run of a command', line)
    return { ok: true, ...about, detail, dryrun: true, stdout: null, stderr: null, returncode: null }
  }
  log('INFO', 'command started', line)
  const begun = performance.now()
  const end = await agent.runner.run({ args: argumentsOf(agent, asked), env: environmentOf(agent, asked) })
  const ok = end.returncode === 0
  const ms = Math.round(performance.now() - begun)
  log(ok ? 'INFO' : 'WARNING', 'command ended', { ...line, returncode: end.returncode, ended: end.ended, ms })
  return {
    ok,
    ...about,
    detail: detailOf(action, end),
    dryrun: false,
    stdout: end.stdout || null,
    stderr: end.stderr || null,
    returncode: end.returncode,
  }
}

/** A name is a value of its option, whatever it begins with. */
function argumentsOf({ loaded }: Agent, { action, project }: Asked): string[] {
  const config = loaded.file.found ? [`--config=${loaded.file.path}`] : []
  return [action, `--project=${project}`, ...config]
}

const environmentOf = ({ host }: Agent, { action, noRestartWorker }: Asked) => ({
  ...host.env,
  INIT_CWD: host.cwd,
  ...(action === 'pull' && noRestartWorker ? { MEMBRIDGE_NO_RESTART_WORKER: '1' } : {}),
})

function detailOf(action: NodeAction, { returncode, ended, stdout, stderr }: CommandEnd): string {
  if (ended === 'at the limit') return `${action} timed out after ${COMMAND_LIMITS.limitMs / 1000}s`
  if (ended === 'with the agent') return `${action} was stopped: the agent of this node shut down`
  if (returncode === 0) return `${action} completed`
  const reason = firstLine(stderr) ?? lastLine(stdout)
  const how = returncode === null ? 'killed' : `exit code ${returncode}`
  return `${action} failed (${how})${reason ? `: ${reason.slice(0, 500)}` : ''}`
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
const firstLine = (text: string): string | undefined => linesOf(text)[0]
const lastLine = (text: string): string | undefined => linesOf(text).at(-1)
