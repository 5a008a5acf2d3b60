import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRedactor } from '#domain/secret/redact.rules.ts'
import type { CommandInput, CommandResult } from '../commands/command.ts'
import { secretsOf } from '../config/secret-settings.ts'
import { type LoadedSettings, loadSettings, type Settings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'
import { projectsFile } from '../ledger/project-registry.ts'
import { UNASKED } from '../stop-requests.ts'
import { createTaskSlots } from '../tasks/task-slots.ts'
import { isLoopback } from './access.ts'
import type { Agent } from './agent.ts'
import { createAgentLog, createLineLimit } from './agent-log.ts'
import { createAgentServer } from './agent-server.ts'
import { keepBeating } from './heartbeats.ts'
import { keepWorking } from './keep-working.ts'
import { createObservationCount } from './observation-count.ts'
import { createCommandRunner } from './run-command.ts'
import { type BeatTarget, beatTarget } from './send-beat.ts'
import { isSyncRunning } from './sync-running.ts'

/**
 * The daemon of a Worker Node: a server for the control plane and the node's own programs, and the heartbeat loop [edge#agent].
 *
 * It begins with the port, so that a second agent beats for nobody, and ends backwards: no new requests, commands asked to end and waited
 * for, their answers sent, loop over. It keeps nothing in memory that a restart would lose but what the control plane answered last.
 */
type Started = { agent: Agent; stopping: AbortController }

/** Runs until asked to stop. `program` is how this command line is started: Node, and its own file. */
export async function runAgent(input: CommandInput, program: readonly string[]): Promise<CommandResult> {
  const loaded = loadSettings(input.host, input.given)
  refuseOpenHost(loaded.values)
  const { agent, stopping } = composeAgent(input, loaded, program)
  let exitCode = 0
  agent.end = (code) => {
    exitCode = code
    setImmediate(() => stopping.abort())
  }
  input.stopped.addEventListener('abort', () => stopping.abort(), { once: true })
  if (input.stopped.aborted) stopping.abort()
  const server = createAgentServer(agent)
  const at = await listen(server, loaded.values)
  agent.log('INFO', 'ready', { host: at.address, port: at.port, rss_mb: rssMb() })
  warnOf(agent)
  const working = keepWorking(agent, at.port)
  await keepBeating(beatingOf(agent, input), stopping.signal)
  await aborted(stopping.signal)
  await close(server, agent)
  await working
  agent.log('INFO', 'stopped')
  return {
    exitCode,
    lines: [`agent stopped on port ${at.port}`],
    json: { port: at.port, exit_code: exitCode },
  }
}

function composeAgent(input: CommandInput, loaded: LoadedSettings, program: readonly string[]): Started {
  const { host, say, tasks = UNASKED } = input
  const { values } = loaded
  const stopping = new AbortController()
  const nodeId = values.MEMBRIDGE_NODE_ID ?? host.name
  const redactor = createRedactor(secretsOf(values))
  const log = createAgentLog({ say, node: nodeId, redactor })
  const agent: Agent = {
    ...{ host, loaded, nodeId, redactor, tasks },
    registry: projectsFile(host, values),
    runner: createCommandRunner({
      ...{ program, cwd: host.home, mask: redactor.text },
      stopped: stopping.signal,
    }),
    slots: createTaskSlots({
      ...{ host, settings: values, stopping: stopping.signal, tasks },
      say: (line) => log('INFO', line),
    }),
    lastAnswers: new Map(),
    log,
    lines: createLineLimit(),
    end: () => stopping.abort(),
    stopping: stopping.signal,
    startedAt: performance.now(),
  }
  return { agent, stopping }
}

function beatingOf(
  { host, loaded, nodeId, registry, runner, lastAnswers, log, lines }: Agent,
  { given }: CommandInput,
) {
  const { values } = loaded
  const isBusy = () => runner.running() > 0 || isSyncRunning(host)
  const { CLAUDE_MEM_DB, MEMBRIDGE_MAX_DB_BYTES } = values
  return {
    source: {
      ...{ host, nodeId, registry, leadershipEnabled: values.LEADERSHIP_ENABLED },
      project: values.CLAUDE_PROJECT_ID,
      countObservations: createObservationCount({ CLAUDE_MEM_DB, MEMBRIDGE_MAX_DB_BYTES, isBusy }),
    },
    target: beatTarget(values),
    renewTarget: () => beatTargetNow(host, given),
    intervalSeconds: values.MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS,
    ...{ lastAnswers, log, lines },
  }
}

function beatTargetNow(host: CommandInput['host'], given: CommandInput['given']): BeatTarget | null {
  try {
    return beatTarget(loadSettings(host, given).values)
  } catch {
    // A file that is being edited: the refusal is in the log, and the next round reads it again.
    return null
  }
}

/** The network reaches an agent only where keys are safe on their way, or the owner accepts that they are not. */
function refuseOpenHost({ MEMBRIDGE_AGENT_HOST, ALLOW_INSECURE_LAN, TRUSTED_PROXIES }: Settings): void {
  const loopback = MEMBRIDGE_AGENT_HOST === 'localhost' || isLoopback(MEMBRIDGE_AGENT_HOST)
  if (!loopback && !ALLOW_INSECURE_LAN && TRUSTED_PROXIES.length === 0)
    throw new EdgeFault(
      'MEMBRIDGE_AGENT_HOST is reached from the network: name in TRUSTED_PROXIES the proxy that ends TLS, or set ALLOW_INSECURE_LAN=1',
    )
}

const MIN_KEY_BYTES = 32

function warnOf({ loaded, log }: Agent): void {
  const { MEMBRIDGE_AGENT_KEY: key, ALLOW_INSECURE_LAN, MEMBRIDGE_AGENT_DRYRUN } = loaded.values
  if (!key)
    log('WARNING', 'MEMBRIDGE_AGENT_KEY is not set: only programs of this machine can register projects')
  else if (Buffer.byteLength(key) < MIN_KEY_BYTES)
    log('WARNING', `MEMBRIDGE_AGENT_KEY is shorter than ${MIN_KEY_BYTES} bytes: join this node again`)
  if (ALLOW_INSECURE_LAN) log('WARNING', 'ALLOW_INSECURE_LAN=1: keys are taken over plain HTTP')
  if (MEMBRIDGE_AGENT_DRYRUN) log('WARNING', 'MEMBRIDGE_AGENT_DRYRUN=1: nothing is pushed or pulled')
}

const BUSY: Record<string, string> = {
  EADDRINUSE: 'is taken: stop the other program, or set MEMBRIDGE_AGENT_PORT',
  EADDRNOTAVAIL: 'is no address of this machine: check MEMBRIDGE_AGENT_HOST',
  EACCES: 'may not be used by this account: set MEMBRIDGE_AGENT_PORT',
  ENOTFOUND: 'is not known: check MEMBRIDGE_AGENT_HOST',
}

function listen(
  server: Server,
  { MEMBRIDGE_AGENT_HOST, MEMBRIDGE_AGENT_PORT }: Settings,
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = BUSY[error.code ?? ''] ?? `cannot be used (${error.code})`
      reject(new EdgeFault(`${MEMBRIDGE_AGENT_HOST}:${MEMBRIDGE_AGENT_PORT} ${why}`, { cause: error }))
    })
    server.listen(MEMBRIDGE_AGENT_PORT, MEMBRIDGE_AGENT_HOST, () => resolve(server.address() as AddressInfo))
  })
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Ends when the open requests are answered; connections that are open for nothing are closed. */
async function close(server: Server, { runner, slots }: Agent): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  await runner.idle()
  await slots.idle()
  server.closeIdleConnections()
  const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
  await closed
  clearTimeout(late)
}

const CLOSE_MS = 2_000
const rssMb = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20)
