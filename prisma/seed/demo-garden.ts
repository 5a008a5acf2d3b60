import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The demo garden: the notes of a small community garden in English and Ukrainian, with a few broken links, orphans and
 * unlinked names for the three demo agents to find. It is imported as it lies in `prisma/seed/garden`.
 */
export const demoGardenFolder = (): string => fileURLToPath(new URL('./garden', import.meta.url))

/** Slugs of the demo agents; the agents of a garden's first commit made by us start active. */
export const DEMO_AGENTS = ['research-librarian', 'link-gardener', 'orphan-scout'] as const

/** A note that tells the demo garden from others. */
export const DEMO_NOTE = 'Beds/North bed.md'

/** Where the definition of an agent stands in a garden. */
export const agentFile = (slug: string): string => `agents/${slug}/_agent.md`

export type SeedFile = { path: string; content: string }

/** The files of the demo agents, to be added to the first commit of a garden that was brought from outside. */
export async function demoAgentFiles(): Promise<SeedFile[]> {
  const found: SeedFile[] = []
  for (const slug of DEMO_AGENTS) {
    const folder = join(demoGardenFolder(), 'agents', slug)
    for (const name of (await readdir(folder)).sort()) {
      found.push({ path: `agents/${slug}/${name}`, content: await readFile(join(folder, name), 'utf8') })
    }
  }
  return found
}
