import fs from 'node:fs'
import path from 'node:path'
import type { NodeHealth, NodeStatusAnswer } from '#contracts/node-agent.contract.ts'
import { PULL_HOOK } from '../hooks/hook-scripts.ts'
import { hooksBin } from '../hooks/hooks-bin.ts'
import { canonicalIdOf } from '../identity.ts'
import { readProjects } from '../ledger/project-registry.ts'
import { VERSION } from '../version.ts'
import type { Agent } from './agent.ts'
import { diskOf, initSystem, isSupervised, lastLine, osInfo, placeOf } from './node-facts.ts'

/** What a command of this node cannot do without. */
const NEEDED = ['MINIO_ENDPOINT', 'CLAUDE_MEM_DB'] as const

/** Whether this node could sync a project, and what is known of it here; nothing is asked of store or database. */
export async function statusOf(agent: Agent, project: string): Promise<NodeStatusAnswer> {
  const { host, loaded, registry, lastAnswers, redactor } = agent
  const { values, file } = loaded
  const canonical_id = canonicalIdOf(project)
  const { projects } = await readProjects(registry)
  const entry = projects.find((one) => one.project_id === project || one.canonical_id === canonical_id)
  const missing = NEEDED.filter((name) => values[name] === undefined)
  const facts = {
    config_env_exists: fs.existsSync(file.path),
    hooks_bin_exists: fs.existsSync(path.join(hooksBin(host, values), PULL_HOOK)),
    db_exists: values.CLAUDE_MEM_DB !== undefined && fs.existsSync(values.CLAUDE_MEM_DB),
    db_path: values.CLAUDE_MEM_DB ?? null,
  }
  const dryrun = values.MEMBRIDGE_AGENT_DRYRUN
  return {
    ok: dryrun || missing.length === 0,
    ...{ project, canonical_id, hostname: host.name },
    detail: dryrun ? `[DRYRUN] Status for project '${project}'` : detailOf(missing, file.path, facts),
    dryrun,
    ...facts,
    registered: entry !== undefined,
    leadership: lastAnswers.get(entry?.canonical_id ?? canonical_id) ?? null,
    last_hook: lastLine(path.join(host.home, '.claude-mem-minio/hook.log'), redactor.text),
  }
}

function detailOf(
  missing: readonly string[],
  file: string,
  facts: { config_env_exists: boolean; db_exists: boolean },
) {
  if (missing.length > 0 && !facts.config_env_exists)
    return `config.env not found at ${file}: join this node, or set ${missing.join(' and ')}`
  if (missing.length > 0) return `${missing.join(' and ')} not set in ${file} or the environment`
  return facts.db_exists ? 'Agent ready' : 'Agent ready; no database here yet, pull first'
}

const MS = 1000

/** The agent and its machine. Callers from elsewhere without a key see little of it. */
export async function healthOf(agent: Agent, isTrusted: boolean) {
  const { values } = agent.loaded
  const short = {
    status: 'ok' as const,
    service: 'membridge-agent' as const,
    version: VERSION,
    dryrun: values.MEMBRIDGE_AGENT_DRYRUN,
    allow_process_control: values.MEMBRIDGE_ALLOW_PROCESS_CONTROL,
  }
  return isTrusted ? { ...short, ...(await machineOf(agent)) } : short
}

type Machine = Omit<NodeHealth, 'status' | 'service' | 'version' | 'dryrun' | 'allow_process_control'>

async function machineOf({ host, loaded, nodeId, registry, startedAt }: Agent): Promise<Machine> {
  const { values } = loaded
  const { projects } = await readProjects(registry)
  return {
    hostname: host.name,
    node_id: nodeId,
    os_info: osInfo(host),
    arch: host.machine,
    init_system: initSystem(),
    heartbeat_interval: values.MEMBRIDGE_HEARTBEAT_INTERVAL_SECONDS,
    server_url: placeOf(values.MEMBRIDGE_SERVER_URL),
    runtime_url: values.BLOOM_RUNTIME_URL === undefined ? null : placeOf(values.BLOOM_RUNTIME_URL),
    projects_count: projects.length,
    uptime_seconds: Math.round((performance.now() - startedAt) / (MS / 10)) / 10,
    disk: await diskOf(host.home),
    capabilities: {
      sync: true,
      restart: values.MEMBRIDGE_ALLOW_PROCESS_CONTROL && isSupervised(),
      self_update: false,
      uninstall: false,
      clone: false,
      process_control: values.MEMBRIDGE_ALLOW_PROCESS_CONTROL,
    },
  }
}
