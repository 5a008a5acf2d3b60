'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { LeftOutView } from '#contracts/note.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'

/** Says what of an imported or pushed garden is not shown, and why; nothing while everything is. */
export function LeftOut() {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const left = useQuery(trpc.notes.leftOut.queryOptions())
  useLiveQueries(['proposal.status.changed'], trpc.notes.leftOut.queryFilter(), POLL_MS.slow)
  if (!left.data || left.data.total === 0) return null
  const { total, not_named, reasons } = left.data
  return (
    <details className="mb-4 rounded border border-line bg-sunken px-3 py-2 text-sm">
      <summary className="cursor-pointer text-ink-2 pointer-coarse:min-h-11">
        {t('leftOut', { n: total })}
      </summary>
      <p className="mt-2 max-w-prose text-ink-3">{t('leftOutHint')}</p>
      {reasons.map((reason) => (
        <Reason key={reason.reason} {...reason} />
      ))}
      {not_named > 0 ? <p className="mt-3 text-ink-3">{t('leftOutUnnamed', { n: not_named })}</p> : null}
    </details>
  )
}

function Reason({ reason, count, paths }: LeftOutView['reasons'][number]) {
  const t = useTranslations('notes')
  return (
    <div className="mt-3">
      <h2 className="font-medium text-ink-2">
        {t('leftOutOf', { n: count, reason: t(`leftOutReasons.${reason}`) })}
      </h2>
      <ul className="mt-1 space-y-0.5 font-mono text-ink-3">
        {paths.map((path) => (
          <li key={path} className="break-all">
            {path}
          </li>
        ))}
        {count > paths.length ? <li>{t('leftOutMore', { n: count - paths.length })}</li> : null}
      </ul>
    </div>
  )
}
