'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactContent } from '#contracts/artifact.contract.ts'
import { JsonView } from '#ui/json-view.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { Section } from '#ui/section.tsx'
import { Milliseconds } from '#ui/time.tsx'

type Props = { content: ArtifactContent<'LLM_RESULT'> }

/** What a Worker Node answered: JSON as a tree, anything else as it is written, and below it what it took. */
export function LlmResultView({ content: { format, output, metrics } }: Props) {
  const t = useTranslations('artifacts')
  const json = useMemo(() => (format === 'json' ? parsed(output) : undefined), [format, output])
  return (
    <Section title={t('answer')}>
      {json === undefined ? <PlainText text={output} /> : <JsonView value={json} open={4} />}
      <Metrics metrics={metrics} />
    </Section>
  )
}

/** What is known of the duration, the tokens and the model; nothing where a worker reported none of them. */
function Metrics({ metrics }: { metrics: Props['content']['metrics'] }) {
  const t = useTranslations('artifacts')
  const { duration_ms, tokens_used, model, provider } = metrics
  if (duration_ms === null && tokens_used === null && model === null && provider === null) return null
  return (
    <p className="mt-2 flex flex-wrap gap-x-4 text-sm text-ink-3">
      {duration_ms === null ? null : <Milliseconds ms={duration_ms} />}
      {tokens_used === null ? null : <span>{t('tokens', { count: tokens_used })}</span>}
      {model === null ? null : <span>{model}</span>}
      {provider === null ? null : <span>{provider}</span>}
    </p>
  )
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
