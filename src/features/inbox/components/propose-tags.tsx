'use client'
import { useTranslations } from 'use-intl/react'
import { onDemand } from '#lib/on-demand.tsx'
import { ProposeButton } from './propose-button.tsx'
import type { Annotated } from './propose-text.tsx'

const TagsForm = onDemand(() => import('./tags-form.tsx').then((m) => m.TagsForm))

/** `tags`: all it has; `removable`: those that a proposal may take away. */
export type TaggedProps = Annotated & { tags: readonly string[]; removable: readonly string[] }

/** Proposes other tags of a note or an artifact. */
export function ProposeTags({ title, ...tagged }: TaggedProps) {
  const t = useTranslations('inbox')
  return (
    <ProposeButton id="inbox.tag" label={t('tag')} keys="t" title={t('tagTitle', { title })}>
      {(close) => <TagsForm {...tagged} close={close} />}
    </ProposeButton>
  )
}
