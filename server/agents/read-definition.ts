import { frontmatterLines } from '#domain/garden/note-text.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type AgentFile, parseAgentFile } from './agent-file.ts'

/** `_agent.md` as one commit holds it: what the executor may know, what step 01 needs, and what is wrong with it. */
export type PinnedDefinition = AgentFile & {
  slug: string
  revision: string
  sha256: string
  /** The file's own text. */
  text: string
  /** Paths below `sources/`, by name. */
  sources: string[]
}

export const definitionPath = (slug: string): string => `agents/${slug}/_agent.md`

/** The definition at a commit, or null when that commit has none; faults of the text come as problems, never as an error. */
export async function readDefinition(
  garden: GitRepository,
  slug: string,
  revision: string,
): Promise<PinnedDefinition | null> {
  const file = await garden.read(definitionPath(slug), revision)
  if (!file) return null
  const folder = `agents/${slug}/sources/`
  const sources = (await garden.list(revision)).map((e) => e.path).filter((p) => p.startsWith(folder))
  const parsed = parseAgentFile(file.text, slug)
  return { slug, revision, sha256: file.sha256, text: file.text, sources: sources.sort(), ...parsed }
}

/** The file with another `status` in its frontmatter and nothing else changed; a file without frontmatter stays as it is. */
export function withFileStatus(text: string, status: string): string {
  const end = frontmatterLines(text)
  if (end === 0) return text
  const lines = text.split('\n')
  const at = lines.findIndex((line, i) => i > 0 && i < end - 1 && /^status\s*:/.test(line))
  if (at >= 0) lines[at] = `status: ${status}`
  else lines.splice(end - 1, 0, `status: ${status}`)
  return lines.join('\n')
}
