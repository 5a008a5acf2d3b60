'use client'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { MergeDecision } from '#domain/proposal/merge.rules.ts'
import { Button } from '#ui/button.tsx'
import { cx } from '#ui/cx.ts'
import { TextArea } from '#ui/fields.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import type { OpenOverlap } from '../hooks/use-merge-decisions.ts'

/** The keys of the ways to decide an overlap, in the order of the buttons. */
export const TAKE_KEYS = { current: '1', proposed: '2', both: '3', text: 'e' } as const
export type Take = keyof typeof TAKE_KEYS
export const TAKES = Object.keys(TAKE_KEYS) as Take[]

const SIDES = ['base', 'current', 'proposed'] as const

type Props = {
  open: OpenOverlap
  total: number
  decision: MergeDecision | null
  /** The keys belong to this one. */
  isAt: boolean
  take: (take: Take) => void
  write: (text: string) => void
}

/** One overlap: its three texts side by side, and what takes their place. */
export function OverlapChoice({ open, total, decision, isAt, take, write }: Props) {
  const t = useTranslations('proposals')
  const root = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (isAt) root.current?.scrollIntoView({ block: 'nearest' })
  }, [isAt])
  return (
    <fieldset
      ref={root}
      data-overlap={open.n}
      tabIndex={-1}
      className={cx(
        'min-w-0 space-y-3 rounded border p-3',
        isAt ? 'border-accent' : 'border-line',
        decision === null && 'bg-failed-soft/40',
      )}
    >
      <legend className="px-1 text-sm font-medium">{t('overlap', { n: open.n, total })}</legend>
      <div className="grid gap-3 md:grid-cols-3">
        {SIDES.map((side) => (
          <div key={side} className="min-w-0">
            <h5 className="mb-1 text-sm text-ink-2">{t(`resolveView.${side}`)}</h5>
            {open.overlap[side] === '' ? (
              <p className="rounded bg-sunken px-4 py-3 text-sm text-ink-2">{t('sideEmpty')}</p>
            ) : (
              <PlainText text={open.overlap[side]} />
            )}
          </div>
        ))}
      </div>
      <div className="flex flex-wrap gap-2">
        {TAKES.map((one) => (
          <Button
            key={one}
            size="sm"
            kind={decision?.take === one ? 'primary' : 'secondary'}
            aria-pressed={decision?.take === one}
            {...(isAt ? { keys: TAKE_KEYS[one] } : {})}
            onClick={() => take(one)}
          >
            {t(`take.${one}`)}
          </Button>
        ))}
      </div>
      {decision?.take === 'text' ? (
        <TextArea label={t('ownText')} value={decision.text} onChange={write} rows={5} mono />
      ) : null}
    </fieldset>
  )
}
