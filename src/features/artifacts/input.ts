import type { ArtifactListInput, ArtifactType } from '#contracts/artifact.contract.ts'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'

export const ARTIFACT_FILTERS = ['type', 'agent', 'tag', 'q'] as const
/** Whether the filter offers a type: those that something in this product makes. */
const SHOWN: Record<ArtifactType, boolean> = {
  RESEARCH_BRIEF: true,
  BRIEF: true,
  PREPROCESSED_PROPOSAL: true,
  LLM_RESULT: false,
  SPEC: false,
  VERIFICATION: false,
}
export const SHOWN_TYPES = (Object.keys(SHOWN) as ArtifactType[]).filter((type) => SHOWN[type])

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The list's input from the URL; the server and the browser build it alike. */
export function artifactsInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<ArtifactListInput, 'limit'> {
  const { type, agent, tag, q } = values
  const known = SHOWN_TYPES.find((one) => one === type)
  return {
    ...(known ? { type: known } : {}),
    ...(agent && SLUG.test(agent) ? { agent } : {}),
    ...(tag && isTag(bareTag(tag)) ? { tag } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}
