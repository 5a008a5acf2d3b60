'use client'
import { useFormatter, useLocale, useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { useNow } from '#lib/clock.tsx'
import { formatDuration } from '#lib/duration.ts'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Id } from '#ui/id.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { holdLeft } from '../hooks/use-approved.ts'
import { useUndo } from '../hooks/use-undo.ts'
import { STATUS_STYLES } from '../status.ts'

type Shown = Pick<ProposalItem, 'status' | 'apply_not_before'>

/** The state of a proposal; an approved one counts down to its commit. */
export function ProposalStatus({
  proposal,
  variant = 'plain',
}: {
  proposal: Shown
  variant?: 'soft' | 'plain'
}) {
  const t = useTranslations('proposals')
  return (
    <StatusBadge {...STATUS_STYLES[proposal.status]} variant={variant}>
      {t(`state.${proposal.status}`)}
      {proposal.apply_not_before ? (
        <HoldLeft proposal={proposal} text={(time) => `, ${t('appliesIn', { time })}`} />
      ) : null}
    </StatusBadge>
  )
}

type HoldProps = { proposal: Shown; text?: (time: string) => string }

/** The time that is left to undo, where some is, on one line; `text` puts it into words. */
export function HoldLeft({ proposal, text = (time) => time }: HoldProps) {
  const locale = useLocale()
  const left = holdLeft(proposal, useNow(1_000))
  return left > 0 ? (
    <span className="tabular whitespace-nowrap">
      {text(formatDuration(Math.ceil(left / 1_000) * 1_000, locale))}
    </span>
  ) : null
}

/** What became of a row that was decided: its state with its commit, the seconds that are left, and Undo. */
export function DecidedStatus({ proposal }: { proposal: ProposalItem }) {
  const t = useTranslations('proposals')
  if (proposal.snoozed_until && proposal.status === UNDECIDED)
    return <SnoozedStatus until={proposal.snoozed_until} />
  if (proposal.awaiting_changes_since && proposal.status === UNDECIDED) return <AwaitingStatus />
  return (
    <span className="inline-flex items-center gap-2">
      <StatusBadge {...STATUS_STYLES[proposal.status]}>
        {t(`state.${proposal.status}`)}
        <HoldLeft proposal={proposal} text={(time) => ` · ${time}`} />
      </StatusBadge>
      {proposal.git_commit ? <Id value={proposal.git_commit} /> : null}
      {proposal.apply_not_before ? <UndoHere proposal={proposal} /> : null}
    </span>
  )
}

const UNDECIDED = proposalMachine.events.create.to

/** Until when a proposal is out of the review order. */
export function SnoozedStatus({ until }: { until: string }) {
  const t = useTranslations('proposals')
  const format = useFormatter()
  const time = format.dateTime(new Date(until), { dateStyle: 'medium', timeStyle: 'short' })
  return (
    <StatusBadge tone="held" icon="alarm-clock">
      {t('snoozedUntil', { time })}
    </StatusBadge>
  )
}

/** Its agent works on changes that were asked for. */
export function AwaitingStatus() {
  const t = useTranslations('proposals')
  return (
    <StatusBadge tone="held" icon="message-square-reply">
      {t('changesRequested')}
    </StatusBadge>
  )
}

function UndoHere({ proposal }: { proposal: ProposalItem }) {
  const t = useTranslations('proposals')
  const no = useRight('proposal.decide')
  const { undo, busy } = useUndo()
  if (holdLeft(proposal, useNow(1_000)) === 0) return null
  return (
    <Button
      size="sm"
      aria-label={t('undoOne', { summary: proposal.summary })}
      disabledReason={no}
      busy={busy}
      onClick={() => undo([proposal.proposal_id])}
    >
      {t('undoShort')}
    </Button>
  )
}
