'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ChangeRequestView } from '#contracts/change-request.contract.ts'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { Segmented } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { SHOWN, type Shown, type ShownFiles } from '../hooks/use-shown.ts'

type Request = NonNullable<ChangeRequestView['request']>
type Props = { proposal: ProposalView; request: Request | null }

/** What was asked of the agent, and what has become of it. */
export function ChangeRequest({ proposal: p, request }: Props) {
  if (!request) return null
  return (
    <div className="mt-3 rounded bg-sunken px-3 py-2">
      <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-60">
          <Outcome proposal={p} request={request} />
        </span>
        {request.run_id && !request.answered_by ? <RunLink id={request.run_id} /> : null}
      </p>
      {request.run_error && !request.answered_by ? (
        <p className="mt-1 break-words text-sm text-ink-2">{request.run_error}</p>
      ) : null}
      <Comments request={request} />
    </div>
  )
}

function Outcome({ proposal: p, request }: { proposal: ProposalView; request: Request }): ReactNode {
  const t = useTranslations('proposals')
  // A request that takes others of its run along is theirs, too, and none of them answers it.
  if (p.lineage.supersedes === request.proposal_id) return t('changesAnswer')
  if (request.answered_by)
    return (
      <>
        {t('changesAnswered')}{' '}
        <Link href={`/proposals/${request.answered_by}`}>{t('changesOpenAnswer')}</Link>
      </>
    )
  if (p.awaiting_changes_since) return t('changesAwaited', { agent: p.agent ?? '' })
  const ends = ['failed', 'cancelled', 'completed'] as const
  return t(`changesReturned.${ends.find((end) => end === request.run_status) ?? 'other'}`)
}

function RunLink({ id }: { id: string }) {
  return <Link href={`/runs/${id}`}>{useTranslations('proposals')('changesOpenRun')}</Link>
}

/** The owner's comments with the lines they are about; of an answer, whether each line was changed. */
function Comments({ request: { note, comments } }: { request: Request }) {
  const t = useTranslations('proposals')
  return (
    <details open className="mt-2">
      <summary className="cursor-pointer text-sm font-medium">{t('changesComments')}</summary>
      {note ? <p className="mt-2 max-w-prose whitespace-pre-line break-words">“{note}”</p> : null}
      <ul className="mt-2 space-y-2">
        {comments.map(({ path, side, line, quote, body, changed }) => (
          <li key={`${path}:${side}:${line}`}>
            <p className="flex flex-wrap items-center gap-x-3 text-sm text-ink-2">
              <span className="break-all font-mono">
                {t(side === 'base' ? 'commentAtRemoved' : 'commentAt', { path, line })}
              </span>
              {changed === null ? null : (
                <StatusBadge tone={changed ? 'done' : 'waiting'}>
                  {t(changed ? 'commentChanged' : 'commentUnchanged')}
                </StatusBadge>
              )}
            </p>
            <p className="break-words border-l-2 border-line-strong pl-2 font-mono text-sm">{quote}</p>
            <p className="max-w-prose whitespace-pre-line break-words">{body}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The files of a proposal that answers a request: first what changed since the review, then the whole. What is approved is the whole. */
export function SinceReview({ files, whole }: { files: ShownFiles; whole: ReactNode }) {
  const t = useTranslations('proposals')
  if (files.isReading) return <Skeleton lines={10} label={t('sinceReview')} />
  return (
    <div data-shown={files.shown}>
      {files.canTurn ? <Turn files={files} /> : null}
      {files.since ? (
        <div className="space-y-8">
          {files.since.map(({ path, before, after }, n) => (
            <DiffView key={path} path={path} before={before} after={after} keyboard={n === 0} />
          ))}
        </div>
      ) : (
        whole
      )}
    </div>
  )
}

function Turn({ files: { shown, show } }: { files: ShownFiles }) {
  const t = useTranslations('proposals')
  const turn = () => show(shown === 'since' ? 'whole' : 'since')
  const label = t(shown === 'since' ? 'wholeChange' : 'sinceReview')
  useAction({ id: 'proposals.sinceReview', label, keys: 'w', group: t('title'), run: turn })
  const labels = { since: t('sinceReview'), whole: t('wholeChange') }
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <Segmented
        label={t('shownDiff')}
        options={SHOWN.map((value) => ({ value, label: labels[value] }))}
        value={shown}
        onChange={(value) => show(value as Shown)}
      />
      <p role="status" className="text-sm text-ink-2">
        {t(shown === 'since' ? 'sinceReviewHint' : 'wholeChangeHint')}
      </p>
    </div>
  )
}
