import type { ArtifactListInput, ArtifactType } from '#contracts/artifact.contract.ts'

export const ARTIFACT_FILTERS = ['type', 'agent', 'q'] as const
/** The types offered in the filter, in order. */
export const SHOWN_TYPES = [
  'RESEARCH_BRIEF',
  'BRIEF',
  'PREPROCESSED_PROPOSAL',
] as const satisfies readonly ArtifactType[]

const SLUG = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The list's input from the URL; the server and the browser build it alike. */
export function artifactsInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<ArtifactListInput, 'limit'> {
  const { type, agent, q } = values
  const known = SHOWN_TYPES.find((one) => one === type)
  return {
    ...(known ? { type: known } : {}),
    ...(agent && SLUG.test(agent) ? { agent } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
  }
}
