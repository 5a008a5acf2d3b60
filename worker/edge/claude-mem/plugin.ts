import fs from 'node:fs'
import path from 'node:path'
import semver from 'semver'
import { z } from 'zod'
import type { Host } from '../host.ts'

/**
 * Where the claude-mem plugin lies: what `installed_plugins.json` names, else the newest version in the cache [edge#claude-mem].
 * No version is written down here; whatever is installed is used.
 */
export type Plugin = { folder: string; from: 'installed_plugins.json' | 'cache' }

/** What `installed_plugins.json` says. `installPath` may name a folder that is gone. */
export type PluginMetadata =
  | { state: 'absent' | 'unreadable' | 'not-listed' }
  | { state: 'listed'; installPath: string; isFolder: boolean }

const NAME = 'claude-mem@thedotmack'
const ENTRY = z.object({ installPath: z.string().min(1) })
/** Older files list one entry for a plugin, current ones several. */
const METADATA = z.object({ plugins: z.record(z.string(), z.unknown()) })
const ENTRIES = z.union([z.array(ENTRY).nonempty(), ENTRY.transform((entry) => [entry])])

export const metadataFile = (home: string): string =>
  path.join(home, '.claude/plugins/installed_plugins.json')
const cacheFolder = (home: string): string => path.join(home, '.claude/plugins/cache/thedotmack/claude-mem')

export function readPluginMetadata({ home }: Pick<Host, 'home'>): PluginMetadata {
  let text: string
  try {
    text = fs.readFileSync(metadataFile(home), 'utf8')
  } catch (error) {
    return { state: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'absent' : 'unreadable' }
  }
  const metadata = METADATA.safeParse(parseJson(text))
  if (!metadata.success) return { state: 'unreadable' }
  const entries = ENTRIES.safeParse(metadata.data.plugins[NAME])
  const given = entries.success ? entries.data[0]?.installPath : undefined
  if (given === undefined) return { state: 'not-listed' }
  const installPath = path.resolve(
    home,
    given.replace(/^~(?=\/|$)/, () => home),
  )
  return { state: 'listed', installPath, isFolder: isFolder(installPath) }
}

/** The newest version in the cache by semantic version, or null. */
export function newestCached({ home }: Pick<Host, 'home'>): string | null {
  const names = fs.existsSync(cacheFolder(home)) ? fs.readdirSync(cacheFolder(home)) : []
  const versions = names.filter((name) => semver.valid(name) && isFolder(path.join(cacheFolder(home), name)))
  const newest = versions.sort(semver.rcompare)[0]
  return newest === undefined ? null : path.join(cacheFolder(home), newest)
}

/** The plugin that would be started now, or null. */
export function findPlugin(host: Pick<Host, 'home'>): Plugin | null {
  const metadata = readPluginMetadata(host)
  if (metadata.state === 'listed' && metadata.isFolder)
    return { folder: metadata.installPath, from: 'installed_plugins.json' }
  const cached = newestCached(host)
  return cached === null ? null : { folder: cached, from: 'cache' }
}

const isFolder = (place: string): boolean =>
  fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
