'use client'
import { useTranslations } from 'use-intl/react'
import { showUrl } from '#lib/shown-path.ts'
import { IconButton } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'
import { useNeighbours } from '../hooks/use-neighbours.ts'
import type { Position } from '../position.ts'

type Props = { id: string; ids: readonly string[]; search: string; position: Position | null }

/** Over the one open proposal on a phone: where it stands in the list, and the ways to the ones beside it. */
export function CardBar({ id, ids, search, position }: Props) {
  const t = useTranslations('proposals')
  const { next, previous } = useNeighbours(id, ids)
  const open = (to: string | undefined) => to && showUrl(`/proposals/${to}${search}`, true)
  return (
    <>
      <p className="tabular min-w-0 flex-1 truncate text-sm text-ink-2">
        {position ? <Place position={position} /> : null}
      </p>
      <IconButton
        className="max-lg:size-11"
        label={t('previous')}
        disabledReason={previous ? undefined : t('firstOfList')}
        onClick={() => open(previous)}
      >
        <Icon name="chevron-left" />
      </IconButton>
      <IconButton
        className="-mr-3 max-lg:size-11"
        label={t('next')}
        disabledReason={next ? undefined : t('lastOfList')}
        onClick={() => open(next)}
      >
        <Icon name="chevron-right" />
      </IconButton>
    </>
  )
}

function Place({ position: { at, total, left, exact } }: { position: Position }) {
  const t = useTranslations('proposals')
  return t(exact ? 'position' : 'positionLeast', { at, total, left })
}
