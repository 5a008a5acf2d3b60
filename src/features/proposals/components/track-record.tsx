'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { TrackRecord as Record } from '#contracts/track-record.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Link } from '#ui/link.tsx'

const STALE_MS = 60_000

/** How an agent's proposals were decided: two figures, and the latest decisions one by one. */
export function TrackRecord({ agent, named = false }: { agent: string; named?: boolean }) {
  const t = useTranslations('proposals')
  const record = useQuery({
    ...useTRPC().proposals.trackRecord.queryOptions({ agent }),
    staleTime: STALE_MS,
  })
  const agentLink = named ? <Link href={`/agents/${agent}`}>{agent}</Link> : null
  // Its line is there from the first frame: nothing below it moves when the figures come.
  if (!record.data) return agentLink && <div className="text-sm">{agentLink}</div>
  const { last_20_days, last_90_days, latest } = record.data
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-2">
      {agentLink}
      {last_90_days.decided === 0 ? (
        <span>{t('noDecisions')}</span>
      ) : (
        <>
          <span className="tabular">{t('approvedOf', { ...last_20_days, days: 20 })}</span>
          <span className="tabular">{t('approvedOf', { ...last_90_days, days: 90 })}</span>
        </>
      )}
      {latest.length > 0 ? <Dots latest={latest} /> : null}
    </div>
  )
}

/** One mark a decision, the oldest first: full for an approval, hollow for a rejection. */
function Dots({ latest }: Pick<Record, 'latest'>) {
  const t = useTranslations('proposals')
  const words = latest.map(({ approved }) => t(approved ? 'state.APPROVED' : 'state.REJECTED'))
  return (
    <span
      role="img"
      aria-label={t('latestDecisions', { words: words.join(', ') })}
      className="inline-flex gap-1"
    >
      {latest.toReversed().map(({ proposal_id, summary, approved }) => (
        <span
          key={proposal_id}
          data-tip={`${t(approved ? 'state.APPROVED' : 'state.REJECTED')}: ${summary}`}
          className={
            approved
              ? 'size-2 rounded-full border border-done bg-done'
              : 'size-2 rounded-full border border-failed'
          }
        />
      ))}
    </span>
  )
}
