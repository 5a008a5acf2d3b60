import { ARTIFACT_TYPES, type ArtifactListInput } from '#contracts/artifact.contract.ts'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'

export const ARTIFACT_FILTERS = ['type', 'agent', 'tag', 'entity', 'q'] as const

/** The list's input from the URL; the server and the browser build it alike. What does not fit is left out. */
export function artifactsInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<ArtifactListInput, 'limit'> {
  const { type, agent, tag, entity, q } = values
  const known = ARTIFACT_TYPES.find((one) => one === type)
  return {
    ...(known ? { type: known } : {}),
    ...(agent && PATTERNS.slug.test(agent) ? { agent } : {}),
    ...(tag && isTag(bareTag(tag)) ? { tag } : {}),
    ...(entity ? { entity: entity.slice(0, 128) } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}
