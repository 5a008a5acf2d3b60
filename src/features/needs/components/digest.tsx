'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { NeedsDigest } from '#contracts/needs.contract.ts'
import { DIGEST_PARTS } from '#domain/inbox/digest.rules.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'

/** What waited when the day's digest was made, in one line, until it is read or the next one comes. */
export function Digest({ digest: { day, counts, created_at } }: { digest: NeedsDigest }) {
  const t = useTranslations('needs')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const no = useRight('push.own')
  const read = useToastMutation(
    trpc.needs.readDigest.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.needs.pathFilter()),
    }),
    { done: () => t('digestRead') },
  )
  const isPressing = (counts.expiring ?? 0) + (counts.conflicts ?? 0) > 0
  const shown = DIGEST_PARTS.filter((part) => counts[part] && !(part === 'proposals' && isPressing))
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1.5 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="shrink-0 self-center">
            <StatusBadge tone="held" busy={false}>
              {t('digest')}
            </StatusBadge>
          </span>
          <span className="font-semibold">
            {shown.map((part) => t(`digestParts.${part}`, { count: counts[part] ?? 0 })).join(' · ')}
          </span>
        </p>
      </div>
      <span className="flex flex-wrap items-center gap-x-4 gap-y-1.5 text-sm text-ink-3">
        <RelativeTime at={created_at} />
        <Button
          size="sm"
          disabledReason={no}
          busy={read.isPending}
          aria-label={t('markDigestRead')}
          onClick={() => read.mutate({ day })}
        >
          {t('markRead')}
        </Button>
      </span>
    </div>
  )
}
