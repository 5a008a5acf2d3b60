'use client'
import { useMemo, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { PlainText } from './plain-text.tsx'
import { type WordPart, wordDiff } from './word-diff.ts'

type Props = { before: string; after: string }

/** Lines of an unchanged stretch that stay in sight at each end; a longer one folds. */
const CONTEXT = 3

/** Two texts as one that runs on, the words that came and went marked; long stretches that stayed fold. */
export function WordDiffView({ before, after }: Props) {
  const t = useTranslations('ui')
  const parts = useMemo(() => wordDiff(before, after), [before, after])
  if (!parts)
    return (
      <>
        <p className="mb-3 text-ink-2">{t('tooLargeToCompare')}</p>
        <PlainText text={after} />
      </>
    )
  if (parts.every(({ kind }) => kind === 'same'))
    return <p className="rounded bg-sunken px-4 py-3 text-ink-2">{t('noChanges')}</p>
  let at = 0
  return (
    <div className="whitespace-pre-wrap break-words rounded border border-line px-4 py-3 leading-7">
      {parts.map((part, i) => {
        const key = at
        at += part.text.length + 1
        return <Part key={key} part={part} isFirst={i === 0} isLast={i === parts.length - 1} />
      })}
    </div>
  )
}

type PartProps = { part: WordPart; isFirst: boolean; isLast: boolean }

function Part({ part: { kind, text }, isFirst, isLast }: PartProps) {
  if (kind === 'insert') return <ins className="rounded-[3px] bg-insert-word">{text}</ins>
  if (kind === 'delete') return <del className="rounded-[3px] bg-delete-word">{text}</del>
  return <Kept text={text} isFirst={isFirst} isLast={isLast} />
}

function Kept({ text, isFirst, isLast }: { text: string; isFirst: boolean; isLast: boolean }) {
  const t = useTranslations('ui')
  const [isOpen, setIsOpen] = useState(false)
  const lines = text.split('\n')
  const [head, tail] = [isFirst ? 0 : CONTEXT, isLast ? 0 : CONTEXT]
  const hidden = lines.length - head - tail
  if (isOpen || hidden <= CONTEXT) return <span>{text}</span>
  return (
    <>
      {head > 0 ? <span>{`${lines.slice(0, head).join('\n')}\n`}</span> : null}
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className="my-1 block h-7 w-full rounded bg-sunken px-4 text-left text-xs text-ink-3 hover:bg-hover hover:text-ink"
      >
        ⋯ {t('unchanged', { count: hidden })}
      </button>
      {tail > 0 ? <span>{lines.slice(-tail).join('\n')}</span> : null}
    </>
  )
}
