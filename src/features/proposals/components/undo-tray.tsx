'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { useNow } from '#lib/clock.tsx'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'
import { Link } from '#ui/link.tsx'
import { holdLeft, useApproved, useLiveApproved } from '../hooks/use-approved.ts'
import { isUndoing, useUndo } from '../hooks/use-undo.ts'
import { HoldLeft } from './proposal-status.tsx'

/**
 * Every approval that can still be undone, on every page of the console. It is read from the server, so a reload keeps it.
 * While it is shown, `data-tray` makes pages end above it (base.css).
 */
export function UndoTray() {
  useLiveApproved()
  const approved = useApproved()
  return approved.length > 0 ? <Held approved={approved} /> : null
}

function Held({ approved }: { approved: readonly ProposalItem[] }) {
  const now = useNow(1_000)
  const open = approved.filter((p) => holdLeft(p, now) > 0)
  return open.length > 0 ? <Tray open={open} now={now} /> : null
}

function Tray({ open, now }: { open: readonly ProposalItem[]; now: number }) {
  const t = useTranslations('proposals')
  const no = useRight('proposal.decide')
  const { undo, busy } = useUndo()
  const group = t('title')
  const ids = open.map((p) => p.proposal_id)
  const latest = () => undo(ids.filter((id) => !isUndoing(id)).slice(0, 1))
  // The oldest is the first that was decided: there one goes on.
  const all = () => undo(ids.toReversed())
  const more = { group, disabledReason: no }
  useAction({ ...more, id: 'proposals.undo.latest', label: t('undoLatest'), keys: 'u', run: latest })
  useAction({ ...more, id: 'proposals.undo.all', label: t('undoAll'), keys: 'U', run: all })
  return (
    <section
      aria-label={t('undoTray')}
      data-tray
      className="rise pointer-events-auto w-full rounded border border-line bg-surface shadow-float"
    >
      <div className="flex min-h-10 items-center gap-2.5 py-1 pl-3 pr-1.5">
        <Icon name="circle-dot" className="size-4 shrink-0 text-working" />
        <p className="min-w-0 flex-1 text-base font-medium text-ink">{t('held', { count: open.length })}</p>
        {open.length > 1 ? (
          <Button size="sm" keys="U" busy={busy} disabledReason={no} onClick={all}>
            {t('undoAll')}
          </Button>
        ) : null}
      </div>
      <ul className="relative max-h-40 overflow-y-auto border-t border-line" aria-label={t('undoTray')}>
        {open.map((p, i) => (
          <li key={p.proposal_id} className="flex items-center gap-2 py-1 pl-3 pr-1.5">
            <Ring proposal={p} now={now} />
            <Link quiet href={`/proposals/${p.proposal_id}`} className="min-w-0 flex-1 truncate text-sm">
              {p.summary}
            </Link>
            <Button
              size="sm"
              kind="quiet"
              aria-label={t('undoOne', { summary: p.summary })}
              disabledReason={no}
              busy={busy}
              onClick={() => undo([p.proposal_id])}
              {...(i === 0 ? { keys: 'u' } : {})}
            >
              {t('undoShort')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SIZE = 18
const RADIUS = 7
const ROUND = 2 * Math.PI * RADIUS

/** The time that is left, as a ring and in words, always on one line. */
function Ring({ proposal, now }: { proposal: ProposalItem; now: number }) {
  const left = holdLeft(proposal, now)
  const until = new Date(proposal.apply_not_before ?? 0).getTime()
  const whole = Math.max(1_000, until - new Date(proposal.decided_at ?? 0).getTime())
  const share = Math.min(1, left / whole)
  const circle = { cx: SIZE / 2, cy: SIZE / 2, r: RADIUS, fill: 'none', strokeWidth: 2 }
  return (
    <span className="flex min-w-14 shrink-0 items-center gap-1.5">
      <svg width={SIZE} height={SIZE} className="-rotate-90" aria-hidden="true">
        <circle {...circle} className="stroke-line" />
        <circle {...circle} className="stroke-working-fill" strokeDasharray={`${share * ROUND} ${ROUND}`} />
      </svg>
      <span className="text-sm text-ink-2">
        <HoldLeft proposal={proposal} />
      </span>
    </span>
  )
}
