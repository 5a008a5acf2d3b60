'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactContent, ArtifactDetail, ArtifactType } from '#contracts/artifact.contract.ts'
import { JsonView } from '#ui/json-view.tsx'
import { Section } from '#ui/section.tsx'
import { BriefView } from './brief-view.tsx'
import { PreprocessedView } from './preprocessed-view.tsx'
import { ResearchView } from './research-view.tsx'

type Viewer = (props: { artifact: ArtifactDetail }) => ReactNode

/** The content as it is, for types without a view of their own. */
const Plain: Viewer = ({ artifact }) => {
  const t = useTranslations('artifacts')
  return (
    <Section title={t('content')}>
      <JsonView value={artifact.content} />
    </Section>
  )
}

/** The viewer of each type. The server checked the content against the schema of its type when it was written. */
export const VIEWERS: Record<ArtifactType, Viewer> = {
  RESEARCH_BRIEF: ({ artifact: { content, sources, readable, sentences } }) => (
    <ResearchView
      content={content as ArtifactContent<'RESEARCH_BRIEF'>}
      sources={sources}
      readable={readable}
      sentences={sentences}
    />
  ),
  BRIEF: ({ artifact }) => <BriefView content={artifact.content as ArtifactContent<'BRIEF'>} />,
  PREPROCESSED_PROPOSAL: ({ artifact }) => (
    <PreprocessedView content={artifact.content as ArtifactContent<'PREPROCESSED_PROPOSAL'>} />
  ),
  LLM_RESULT: Plain,
  SPEC: Plain,
  VERIFICATION: Plain,
}
