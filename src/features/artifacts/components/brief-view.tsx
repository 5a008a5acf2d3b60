'use client'
import { Fragment } from 'react'
import { useTranslations } from 'use-intl/react'

type Brief = { title: string; body: string; entity_map: Record<string, string>; word_count: number }

/** A brief: its text with the entities marked, each with its name on hover. */
export function BriefView({ content }: { content: Brief }) {
  const t = useTranslations('artifacts')
  const labels = Object.values(content.entity_map).filter((label) => label.length > 0)
  const paragraphs = content.body.split(/\n{2,}/)
  return (
    <div className="prose">
      {paragraphs.map((text) => (
        <p key={text}>
          <Marked text={text} labels={labels} />
        </p>
      ))}
      <p className="text-sm text-ink-3">{t('words', { n: content.word_count })}</p>
    </div>
  )
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function Marked({ text, labels }: { text: string; labels: readonly string[] }) {
  if (labels.length === 0) return text
  const parts = text.split(new RegExp(`(${labels.map(escaped).join('|')})`, 'giu'))
  return parts.map((part, i) => {
    const known = i % 2 === 1
    // The pieces of one text keep their places, so the place is their key.
    const at = `${i}:${part}`
    return known ? (
      <mark key={at} className="rounded bg-accent-soft px-0.5 text-ink">
        {part}
      </mark>
    ) : (
      <Fragment key={at}>{part}</Fragment>
    )
  })
}
