'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ConflictView } from '#contracts/proposal-conflict.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Segmented } from '#ui/filter-bar.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { useMergeDecisions } from '../hooks/use-merge-decisions.ts'
import { useOverlapKeys } from '../hooks/use-overlap-keys.ts'
import { ConflictFileView, VIEWS, type View } from './conflict-file-view.tsx'

type Props = { id: string; close: () => void; open: (id: string) => void }

/** The three ways of a conflict: its files merged, what overlaps decided, and a proposal on the current content made of it. */
export function ResolveConflict({ id, close, open }: Props) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const conflict = useQuery(trpc.proposals.conflict.queryOptions({ proposal_id: id }))
  if (!conflict.data)
    return conflict.error ? (
      <ObjectError error={conflict.error} onRetry={() => conflict.refetch()} id={id} listHref="/proposals" />
    ) : (
      <Skeleton lines={10} label={t('resolveTitle')} />
    )
  return <Resolving conflict={conflict.data} close={close} open={open} />
}

type ResolvingProps = Omit<Props, 'id'> & { conflict: ConflictView }

function Resolving({ conflict, close, open }: ResolvingProps) {
  const t = useTranslations('proposals')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const [view, setView] = useState<View>('merge')
  const decisions = useMergeDecisions(conflict)
  const { overlaps, decided } = decisions
  const { at, take } = useOverlapKeys(decisions, () => setView('merge'))
  const turn = () => setView(VIEWS[(VIEWS.indexOf(view) + 1) % VIEWS.length] ?? 'merge')
  useAction({
    id: 'proposals.resolve.view',
    label: t('resolveNextView'),
    keys: 'b',
    group: t('title'),
    run: turn,
  })
  useAction({
    id: 'proposals.resolve.close',
    label: t('resolveClose'),
    keys: 'Escape',
    group: t('title'),
    run: () => leaveOr(close),
  })
  return (
    <section aria-label={t('resolveTitle')} className="space-y-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h3 ref={heading} tabIndex={-1} className="font-semibold outline-none">
          {t('resolveTitle')}
        </h3>
        <p role="status" className="tabular text-sm text-ink-2">
          {conflict.files.length === 0
            ? t('resolveGone')
            : t('resolveProgress', { decided, total: overlaps.length })}
        </p>
        <Segmented
          label={t('resolveViews')}
          options={VIEWS.map((value) => ({ value, label: t(`resolveView.${value}`) }))}
          value={view}
          onChange={(value) => setView(value as View)}
        />
      </div>
      {conflict.files.map((file) => (
        <ConflictFileView key={file.path} file={file} view={view} decisions={decisions} at={at} take={take} />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <Rebase conflict={conflict} decisions={decisions} open={open} />
        <Button onClick={close} keys="Escape">
          {t('resolveClose')}
        </Button>
        <p className="text-sm text-ink-2">{t('rebaseHint')}</p>
      </div>
    </section>
  )
}

/** Out of a text first, and of the view then. */
function leaveOr(close: () => void): void {
  const field = document.activeElement
  if (field instanceof HTMLTextAreaElement) field.closest('fieldset')?.focus()
  else close()
}

type RebaseProps = Pick<ResolvingProps, 'conflict' | 'open'> & {
  decisions: ReturnType<typeof useMergeDecisions>
}

function Rebase({ conflict, decisions, open }: RebaseProps) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const right = useRight('proposal.decide')
  const { files, freshness, proposal_id } = conflict
  const rebase = useToastMutation(
    trpc.proposals.rebase.mutationOptions({
      onSuccess: ({ proposal }) => {
        decisions.forget()
        open(proposal.proposal_id)
      },
    }),
    { done: () => t('rebased') },
  )
  const undecided = decisions.decided < decisions.overlaps.length || files.length === 0
  const no = right ?? (undecided ? t('rebaseUndecided') : undefined)
  const run = () =>
    rebase.isPending ||
    rebase.mutate({ proposal_id, current_hash: freshness.current_hash, files: decisions.chosen() })
  useAction({
    id: 'proposals.rebase.review',
    label: t('rebaseAndReview'),
    keys: 'mod+enter',
    group: t('title'),
    run,
    disabledReason: no,
  })
  return (
    <Button kind="primary" keys="mod+Enter" onClick={run} busy={rebase.isPending} disabledReason={no}>
      {t('rebaseAndReview')}
    </Button>
  )
}
