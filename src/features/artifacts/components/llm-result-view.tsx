'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactContent } from '#contracts/artifact.contract.ts'
import { JsonView } from '#ui/json-view.tsx'
import { MarkdownView } from '#ui/lazy.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { Section } from '#ui/section.tsx'
import { Milliseconds } from '#ui/time.tsx'

type Content = ArtifactContent<'LLM_RESULT'>
/** `tree`: of an answer in Markdown, as the server sanitised it. */
type Props = { content: Content; tree?: unknown }

/** What a Worker Node answered, and below it what it took. */
export function LlmResultView({ content, tree }: Props) {
  const t = useTranslations('artifacts')
  return (
    <Section title={t('answer')}>
      <Answer content={content} tree={tree} />
      <Metrics metrics={content.metrics} />
    </Section>
  )
}

/** Markdown as it reads, JSON as a tree, anything else as it is written. */
function Answer({ content: { format, output }, tree }: Props) {
  const json = useMemo(() => (format === 'json' ? parsed(output) : undefined), [format, output])
  if (tree)
    return (
      <div className="prose">
        <MarkdownView tree={tree} />
      </div>
    )
  return json === undefined ? <PlainText text={output} /> : <JsonView value={json} open={4} />
}

/** What is known of the duration, the tokens and the model; nothing where a worker reported none of them. */
function Metrics({ metrics }: Pick<Content, 'metrics'>) {
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
