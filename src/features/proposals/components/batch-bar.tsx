'use client'
import { useTranslations } from 'use-intl/react'
import { BATCH_LIMIT, type Decision } from '#domain/proposal/batch.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { Button, IconButton } from '#ui/button.tsx'
import type { Selection } from '#ui/data-table.tsx'
import { Icon } from '#ui/icon.tsx'
import type { Batch } from '../hooks/use-batch.tsx'

type Props = {
  selection: Selection
  /** The ids of the list in its order; the selection is decided in that order. */
  ids: readonly string[]
  batch: Batch
}

/** What is selected, and what can be done with it, by button and by key. Nothing is shown while nothing is selected. */
export function BatchBar({ selection, ids, batch }: Props) {
  return selection.ids.size > 0 ? <Bar selection={selection} ids={ids} batch={batch} /> : null
}

function Bar({ selection, ids, batch }: Props) {
  const t = useTranslations('proposals')
  const no = useRight('proposal.decide')
  const count = selection.ids.size
  const disabledReason = no ?? (count > BATCH_LIMIT ? t('selectAtMost', { most: BATCH_LIMIT }) : undefined)
  const request = (status: Decision) => {
    const listed = ids.filter((id) => selection.ids.has(id))
    const others = [...selection.ids].filter((id) => !listed.includes(id))
    batch.request({
      status,
      ids: [...listed, ...others],
      decided: (left) => selection.onChange(new Set(left)),
    })
  }
  const act = { group: t('title'), disabledReason }
  const approve = () => request('APPROVED')
  const reject = () => request('REJECTED')
  useAction({ ...act, id: 'proposals.batch.approve', label: t('approveSelected'), keys: 'A', run: approve })
  useAction({ ...act, id: 'proposals.batch.reject', label: t('rejectSelected'), keys: 'R', run: reject })
  return (
    <section
      aria-label={t('selection')}
      className="sticky top-0 z-10 mb-2 flex flex-wrap items-center gap-2 rounded border border-line bg-surface px-3 py-1.5"
    >
      <p role="status" className="mr-auto font-medium">
        {t('selected', { count })}
      </p>
      <Button
        size="sm"
        kind="primary"
        keys="A"
        busy={batch.busy}
        disabledReason={disabledReason}
        onClick={approve}
      >
        {t('approve')}
      </Button>
      <Button size="sm" keys="R" disabledReason={disabledReason} onClick={reject}>
        {t('reject')}
      </Button>
      <IconButton label={t('clearSelection')} onClick={() => selection.onChange(new Set())}>
        <Icon name="x" />
      </IconButton>
    </section>
  )
}
