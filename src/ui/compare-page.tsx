'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { Button } from './button.tsx'
import { buttonClass } from './button-class.ts'
import { goToFirstDifference } from './compare-table.tsx'
import { EmptyState } from './empty-state.tsx'
import { Link } from './link.tsx'
import { Page } from './page.tsx'
import { PageHeader } from './page-header.tsx'

type ChooseProps = {
  title: string
  /** How two are chosen. */
  hint: string
  /** Where they are chosen. */
  list: { href: string; label: string }
}

/** A page of a comparison whose address does not name two objects. */
export function ChooseTwo({ title, hint, list }: ChooseProps) {
  const all = (
    <Link href={list.href} className={buttonClass('primary')}>
      {list.label}
    </Link>
  )
  return (
    <Page wide>
      <EmptyState as="h1" title={title} action={all}>
        {hint}
      </EmptyState>
    </Page>
  )
}

type Props = {
  /** The way back to the list that the two are of. */
  above: ReactNode
  title: string
  /** Where the two part, or that they are alike. */
  sentence: ReactNode
  /** Something in `children` carries `firstDifference`. */
  hasDifference: boolean
  swap: () => void
  children: ReactNode
}

/** Two objects side by side: they are swapped by a key, and another one leads to the first difference. */
export function ComparePage({ above, title, sentence, hasDifference, swap, children }: Props) {
  const t = useTranslations('ui')
  const swapSides = { label: t('swapSides'), keys: 's', group: title, run: swap }
  const goFirst = { label: t('goToFirstDifference'), keys: 'f', group: title, run: goToFirstDifference }
  useAction({ id: 'compare.swap', ...swapSides })
  useAction(hasDifference ? { id: 'compare.first', ...goFirst } : null)
  return (
    <Page wide>
      <PageHeader
        above={above}
        title={title}
        sentence={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {sentence}
            {hasDifference ? (
              <Button size="sm" keys="f" onClick={goToFirstDifference}>
                {goFirst.label}
              </Button>
            ) : null}
          </span>
        }
        action={
          <Button keys="s" onClick={swap}>
            {swapSides.label}
          </Button>
        }
      />
      {children}
    </Page>
  )
}
