import type { ArtifactContent, ArtifactDetail } from '#contracts/artifact.contract.ts'
import { sortedJson } from '#lib/sorted-json.ts'

/** The document as lines that can be compared: a brief as it is read, any other type as it is stored. */
export function artifactText({ type, content }: Pick<ArtifactDetail, 'type' | 'content'>): string {
  if (type !== 'RESEARCH_BRIEF') return sortedJson(content)
  const brief = content as ArtifactContent<'RESEARCH_BRIEF'>
  const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')
  const parts = [
    `# ${brief.title}`,
    brief.summary,
    ...brief.sections.map(({ heading, body }) => `## ${heading}\n\n${body}`),
    list(brief.conclusions),
    list(brief.open_questions),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

/** The number of the first line in which two texts differ, from 1; null where they are equal. */
export function firstDifferentLine(before: string, after: string): number | null {
  if (before === after) return null
  const [a, b] = [before.split('\n'), after.split('\n')]
  const at = a.findIndex((line, i) => line !== b[i])
  return (at < 0 ? a.length : at) + 1
}
