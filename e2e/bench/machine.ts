/** Where and when figures were measured; without that they say nothing. */
import { execFileSync } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { installedBinaries } from '#server/launch/postgres-binaries.mjs'
import type { Report } from './figures.ts'
import { rounded } from './statistics.ts'

const said = (command: string, ...args: string[]): string => {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

export const loadNow = (): number[] => os.loadavg().map((load) => Number(load.toFixed(2)))

export const machineNow = (): Report['machine'] => ({
  cores: os.availableParallelism(),
  processor: os.cpus()[0]?.model.trim() ?? 'unknown',
  memory_gb: rounded(os.totalmem() / 2 ** 30),
  node: process.versions.node,
  postgresql: said(path.join(installedBinaries(), 'postgres'), '--version').replace(
    /^postgres \(PostgreSQL\) /,
    'PostgreSQL ',
  ),
  kernel: os.release(),
})

/** The commit that is checked out, with a plus where files differ from it. */
export function commitNow(): string {
  const commit = said('git', 'rev-parse', '--short', 'HEAD') || 'no commit'
  return said('git', 'status', '--porcelain', '--untracked-files=no') ? `${commit}+` : commit
}
