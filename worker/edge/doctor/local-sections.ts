import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { findWorker } from '../claude-mem/find-worker.ts'
import { isWorkerAlive, readPidFile } from '../claude-mem/worker-process.ts'
import type { LoadedSettings, Settings } from '../config/settings.ts'
import { reasonOf } from '../fault.ts'
import type { Host } from '../host.ts'
import { canonicalIdOf } from '../identity.ts'
import { checkIntegrity, countsOf, logicalBytes } from '../sqlite/database-facts.ts'
import { withDatabase } from '../sqlite/open-database.ts'
import { line, type Section } from './section.ts'

/** Who this node is, and what it was told. */
export function identitySection(host: Host, { values, file }: LoadedSettings): Section {
  const project = values.CLAUDE_PROJECT_ID
  const node = values.MEMBRIDGE_NODE_ID ?? host.name
  const facts = {
    project_name: project ?? null,
    canonical_project_id: project === undefined ? null : canonicalIdOf(project),
    hostname: host.name,
    node_id: node,
    config_file: file.path,
    config_found: file.found,
    config_open_to_others: file.openToOthers,
    config_skipped_lines: file.skipped,
  }
  const lines = [
    line('project_name', project ?? 'CLAUDE_PROJECT_ID not set'),
    line('canonical_project_id', facts.canonical_project_id ?? 'unknown'),
    line('hostname', host.name),
    line('node_id', node),
    line('config', file.found ? file.path : `${file.path} (none there)`),
    ...(file.openToOthers ? [line('warning', `others can read its keys: chmod 600 ${file.path}`)] : []),
    ...(file.skipped.length > 0 ? [line('warning', `no assignment in line ${file.skipped.join(', ')}`)] : []),
  ]
  const degraded = file.openToOthers || file.skipped.length > 0
  return { verdict: project === undefined ? 'ERROR' : degraded ? 'DEGRADED' : 'OK', lines, facts }
}

/** SQLite writes its first page at once and everything else into the WAL until a checkpoint. */
const FIRST_PAGE = 4096
const BUSY_MS = 1_000

/** The database as SQLite sees it, and whether it holds more than the remote copy. */
export function databaseSection(settings: Settings, remoteObservations: number | null): Section {
  const file = settings.CLAUDE_MEM_DB
  if (file === undefined) return fault({ path: null }, [], 'CLAUDE_MEM_DB not set')
  const sizes = { path: file, size: sizeOf(file), wal_size: sizeOf(`${file}-wal`) ?? 0 }
  const head = [line('path', file)]
  if (sizes.size === null) return fault(sizes, head, 'NOT FOUND: check CLAUDE_MEM_DB, or pull first')
  head.push(line('size', `${sizes.size} bytes, ${sizes.wal_size} in -wal`))
  if (sizes.size <= FIRST_PAGE && sizes.wal_size > 0)
    head.push(line('wal', 'all data is in -wal: never copy the file alone'))
  try {
    return withDatabase(file, { busyMs: BUSY_MS }, (database) => {
      checkIntegrity(database, file)
      const counts = countsOf(database)
      const bytes = logicalBytes(database)
      const ahead = aheadOf(counts.observations, remoteObservations)
      const tooLarge = bytes > settings.MEMBRIDGE_MAX_DB_BYTES
      const lines = [
        ...head,
        line('integrity', 'ok'),
        line('tables', counts.tables),
        line('observations', counts.observations),
        line('summaries', counts.session_summaries),
        line('prompts', counts.user_prompts),
        line('local_ahead', ahead.text),
        ...(tooLarge ? [line('warning', 'larger than MEMBRIDGE_MAX_DB_BYTES: it is not synced')] : []),
      ]
      const facts = { ...sizes, integrity: 'ok', ...counts, local_ahead: ahead.state, too_large: tooLarge }
      return { verdict: tooLarge || ahead.state === 'yes' ? 'DEGRADED' : 'OK', lines, facts }
    })
  } catch (error) {
    return fault(sizes, head, reasonOf(error))
  }
}

const fault = (facts: Record<string, unknown>, head: string[], why: string): Section => ({
  verdict: 'ERROR',
  lines: [...head, line('state', why)],
  facts: { ...facts, state: why },
})

/** By number alone: which rows they are is known only to a pull, which has both copies. */
function aheadOf(local: number, remote: number | null): { state: 'yes' | 'no' | 'unknown'; text: string } {
  if (remote === null) return { state: 'unknown', text: 'UNKNOWN (no remote copy to compare with)' }
  if (local > remote) return { state: 'yes', text: `YES (${local - remote} more than the remote copy)` }
  return { state: 'no', text: 'NO (by number; pull compares row by row)' }
}

const sizeOf = (file: string): number | null => fs.statSync(file, { throwIfNoEntry: false })?.size ?? null

/** The worker of claude-mem: it may be off between sessions, so that is no error. */
export async function workerSection(host: Host, settings: Settings): Promise<Section> {
  const file = await readPidFile(host)
  const alive = file !== null && isWorkerAlive(file)
  const worker = await findWorker(host, settings)
  const facts = { pid: alive ? file.pid : (worker?.pid ?? null), worker }
  const pid = line('PID', facts.pid ?? 'not running')
  if (!worker) return { verdict: 'DEGRADED', lines: [pid, line('health', 'no answer')], facts }
  const lines = [
    pid,
    line('port', `${worker.port} (${worker.from})`),
    line('status', worker.status),
    line('version', worker.version ?? 'unknown'),
    ...(worker.identified ? [] : [line('identity', 'not known to be claude-mem; pull leaves it alone')]),
  ]
  return { verdict: worker.identified && worker.status === 'ok' ? 'OK' : 'DEGRADED', lines, facts }
}

const HOOKS = z.object({
  hooks: z
    .record(z.string(), z.array(z.object({ hooks: z.array(z.object({ command: z.string().optional() })) })))
    .optional(),
})

/** Whether a session pulls when it starts and pushes when it stops. */
export function hooksSection(host: Host): Section {
  const file = path.join(host.home, '.claude/settings.json')
  let parsed: z.infer<typeof HOOKS>
  try {
    parsed = HOOKS.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  } catch {
    const lines = [line('state', `${file} is missing or cannot be read`)]
    return { verdict: 'DEGRADED', lines, facts: { pull: false, push: false } }
  }
  const runs = (event: string, name: string): boolean =>
    (parsed.hooks?.[event] ?? []).some((group) => group.hooks.some((hook) => hook.command?.includes(name)))
  const facts = { pull: runs('SessionStart', 'hook-pull'), push: runs('Stop', 'hook-push') }
  const lines = [
    line('SessionStart pull', facts.pull ? 'YES' : 'NO'),
    line('Stop push', facts.push ? 'YES' : 'NO'),
  ]
  return { verdict: facts.pull && facts.push ? 'OK' : 'DEGRADED', lines, facts }
}
