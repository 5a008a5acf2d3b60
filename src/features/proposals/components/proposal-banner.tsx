'use client'
import { useTranslations } from 'use-intl/react'
import type { ApplyErrorCode, ProposalView } from '#contracts/proposal.contract.ts'
import { Id } from '#ui/id.tsx'
import { SnoozedStatus } from './proposal-status.tsx'
import { RiskReasons } from './risk.tsx'
import { TimeToLive } from './time-to-live.tsx'
import { TrackRecord } from './track-record.tsx'

/** The banner under the title: deadline, conflict, commit, or why it failed. */
export function ProposalBanner({ proposal: p }: { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  if (p.status === 'APPLIED')
    return (
      <p className="mt-2 text-done">
        {t('appliedAs')} <Id value={p.git_commit ?? ''} />
      </p>
    )
  if (p.status === 'APPLYING') return <p className="mt-2 text-working">{t('applyingNow')}</p>
  if (p.status === 'FAILED') return <Failed error={p.apply_result.error} />
  if (p.status === 'APPROVED')
    return p.queue_place ? <p className="mt-2 text-waiting">{t('queuePlace', { n: p.queue_place })}</p> : null
  if (p.status === 'PENDING') return <Pending proposal={p} />
  if (p.approval?.decision_note)
    return <p className="mt-2 max-w-prose text-ink-2">“{p.approval.decision_note}”</p>
  return null
}

/** These say everything there is to say; the message of another one has the particulars. */
const PLAIN: readonly ApplyErrorCode[] = ['conflict', 'target_missing', 'target_exists']

function Failed({ error }: { error: ProposalView['apply_result']['error'] }) {
  const t = useTranslations('proposals')
  return (
    <div className="mt-2 rounded bg-failed-soft px-3 py-2 text-failed">
      <p>
        {t('failedWith')}
        {error ? `: ${t(`applyErrors.${error.code}`)}` : null}
      </p>
      {error && !PLAIN.includes(error.code) ? <p className="mt-1 text-sm">{error.message}</p> : null}
    </div>
  )
}

function Pending({ proposal: p }: { proposal: ProposalView }) {
  const t = useTranslations('proposals')
  const fresh = p.freshness
  const words = {
    changed: t('conflict'),
    missing: t('conflictMissing'),
    exists: t('conflictExists'),
    clean: '',
  }
  return (
    <>
      <p className="mt-2 text-sm text-ink-3">
        <TimeToLive proposal={p} />
        {p.snoozed_until ? (
          <span className="ml-3">
            <SnoozedStatus until={p.snoozed_until} />
          </span>
        ) : null}
        {p.seen_again > 0 ? <span className="ml-3">{t('seenAgain', { n: p.seen_again })}</span> : null}
      </p>
      <div className="mt-1.5 space-y-1">
        <RiskReasons risk={p.risk} />
        {p.agent ? <TrackRecord agent={p.agent} named /> : null}
      </div>
      {fresh && fresh.state !== 'clean' ? (
        <p
          className={
            fresh.mergeable ? 'mt-2 text-waiting' : 'mt-2 rounded bg-failed-soft px-3 py-2 text-failed'
          }
        >
          {fresh.mergeable ? t('mergeable') : `${words[fresh.state]} ${t('conflictHint')}`}
        </p>
      ) : null}
    </>
  )
}
