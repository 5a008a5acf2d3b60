'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactContent, ArtifactDetail, ArtifactType } from '#contracts/artifact.contract.ts'
import { JsonView } from '#ui/json-view.tsx'
import { Section } from '#ui/section.tsx'
import { LlmResultView } from './llm-result-view.tsx'
import { ResearchView } from './research-view.tsx'

type Viewer = (props: { artifact: ArtifactDetail }) => ReactNode

/** The content as it is stored, for types without a view of their own. */
const Stored: Viewer = ({ artifact }) => {
  const t = useTranslations('artifacts')
  return (
    <Section title={t('content')} hint={t('noViewer')}>
      <JsonView value={artifact.content} open={4} />
    </Section>
  )
}

/** The viewer of each type. The server checked the content against the schema of its type when it was written. */
export const VIEWERS: Record<ArtifactType, Viewer> = {
  RESEARCH_BRIEF: ({ artifact: { content, readable, sentences } }) => (
    <ResearchView
      content={content as ArtifactContent<'RESEARCH_BRIEF'>}
      readable={readable}
      sentences={sentences}
    />
  ),
  BRIEF: Stored,
  PREPROCESSED_PROPOSAL: Stored,
  LLM_RESULT: ({ artifact: { content, readable } }) => (
    <LlmResultView content={content as ArtifactContent<'LLM_RESULT'>} tree={readable?.summary} />
  ),
  SPEC: Stored,
  VERIFICATION: Stored,
}
