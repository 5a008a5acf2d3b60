import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { isCanonicalId } from '#domain/membridge/identity.rules.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'
import { readJsonFile, writeJsonFile } from './json-file.ts'

/**
 * The projects this node announces: `~/.membridge/agent_projects.json`, an object keyed by canonical id [edge#ledger].
 *
 * Several processes may write it: each change is made under a lock, on what stands there then. Times are epoch seconds. An
 * entry that is not understood makes the file corrupt: it is kept under another name, and the entries that are
 * understood go on.
 */
const ENTRY = z.looseObject({
  project_id: z.string().min(1).max(128),
  canonical_id: z.string().refine(isCanonicalId),
  created_at: z.number(),
  last_seen: z.number(),
  path: z.string().nullish(),
  notes: z.string().nullish(),
})
const FILE = z.record(z.string(), z.unknown())

export type RegisteredProject = z.infer<typeof ENTRY>
export type Registration = Pick<RegisteredProject, 'project_id' | 'canonical_id' | 'path' | 'notes'>
export type RegistryRead = { projects: RegisteredProject[]; corrupt: boolean }

export const projectsFile = (host: Pick<Host, 'home'>, settings: Pick<Settings, 'MEMBRIDGE_PROJECTS_FILE'>) =>
  settings.MEMBRIDGE_PROJECTS_FILE ?? join(host.home, '.membridge/agent_projects.json')

/** The projects that are understood; `corrupt` when the file holds anything else. Changes nothing. */
export async function readProjects(file: string): Promise<RegistryRead> {
  const read = await readJsonFile(file, FILE)
  if (read.state !== 'read') return { projects: [], corrupt: read.state === 'corrupt' }
  const entries = Object.entries(read.value).map(([id, value]) => {
    const entry = ENTRY.safeParse(value)
    return entry.success && entry.data.canonical_id === id ? entry.data : null
  })
  return { projects: entries.filter((entry) => entry !== null), corrupt: entries.includes(null) }
}

/**
 * Adds a project or renews it: `created_at` stays, what is not given stays. Returns all projects, and where a corrupt file of
 * before was kept.
 */
export async function registerProject(
  file: string,
  given: Registration,
  now: Date,
): Promise<{ projects: RegisteredProject[]; kept: string | null }> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return withFileLock({ path: `${file}.lock`, staging: folder }, async () => {
    const { projects, corrupt } = await readProjects(file)
    const seconds = now.getTime() / 1000
    const known = projects.find((project) => project.canonical_id === given.canonical_id)
    const changes = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
    const entry = ENTRY.parse({
      created_at: seconds,
      ...known,
      ...Object.fromEntries(changes),
      last_seen: seconds,
    })
    const all = [...projects.filter((project) => project !== known), entry]
    const entries = Object.fromEntries(all.map((project) => [project.canonical_id, project]))
    const kept = await writeJsonFile(file, entries, { corruptAt: corrupt ? now : null })
    return { projects: all, kept }
  })
}
