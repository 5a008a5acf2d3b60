'use client'
import { useTranslations } from 'use-intl/react'
import { onDemand } from '#lib/on-demand.tsx'
import { ProposeButton } from './propose-button.tsx'

const TextForm = onDemand(() => import('./text-form.tsx').then((m) => m.TextForm))

/** What stands beside the object: its address (`notes/<path>`, `artifacts/<id>`) and what people call it. */
export type Annotated = { address: string; title: string }

/** Proposes a comment on a note or an artifact. */
export function ProposeComment({ address, title }: Annotated) {
  const t = useTranslations('inbox')
  return (
    <ProposeButton id="inbox.comment" label={t('comment')} keys="c" title={t('commentTitle', { title })}>
      {(close) => (
        <TextForm form="comment" label={t('commentText')} close={close}>
          {(text) => ({
            action: 'propose-comment',
            target: address,
            payload: { kind: 'comment', text, summary: firstLine(t('comment'), text) },
          })}
        </TextForm>
      )}
    </ProposeButton>
  )
}

/** Proposes the summary of a note, or another one in its place. */
export function ProposeSummary({ address, title, summarised }: Annotated & { summarised: boolean }) {
  const t = useTranslations('inbox')
  const label = summarised ? t('replaceSummary') : t('summarise')
  return (
    <ProposeButton id="inbox.summary" label={label} keys="s" title={t('summaryTitle', { title })}>
      {(close) => (
        <TextForm form="summary" label={t('summaryText')} close={close}>
          {(text) => ({
            action: 'propose-summary',
            target: address,
            payload: { text, summary: firstLine(label, text) },
          })}
        </TextForm>
      )}
    </ProposeButton>
  )
}

/** The subject of the commit: the first words of the text. */
const firstLine = (label: string, text: string): string =>
  `${label}: ${text.trim().split('\n', 1)[0] ?? ''}`
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, 200)
    .trim()
