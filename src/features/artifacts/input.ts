import type { ArtifactListInput, ArtifactType } from '#contracts/artifact.contract.ts'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'

export const ARTIFACT_FILTERS = ['type', 'agent', 'tag', 'entity', 'q'] as const

/** Every type, in the order of the filter; a type that is missing here does not compile. */
const TYPES: Record<ArtifactType, true> = {
  RESEARCH_BRIEF: true,
  BRIEF: true,
  PREPROCESSED_PROPOSAL: true,
  LLM_RESULT: true,
  SPEC: true,
  VERIFICATION: true,
}
export const TYPES_IN_ORDER = Object.keys(TYPES) as ArtifactType[]

/** The list's input from the URL; the server and the browser build it alike. What does not fit is left out. */
export function artifactsInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<ArtifactListInput, 'limit'> {
  const { type, agent, tag, entity, q } = values
  const known = TYPES_IN_ORDER.find((one) => one === type)
  return {
    ...(known ? { type: known } : {}),
    ...(agent && PATTERNS.slug.test(agent) ? { agent } : {}),
    ...(tag && isTag(bareTag(tag)) ? { tag } : {}),
    ...(entity ? { entity: entity.slice(0, 128) } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}

/** The two artifacts that an address compares; null while it does not name two. */
export function comparedArtifacts({
  a,
  b,
}: Readonly<Record<string, string | null | undefined>>): { a: string; b: string } | null {
  return a && b && PATTERNS.artifact.test(a) && PATTERNS.artifact.test(b) ? { a, b } : null
}
