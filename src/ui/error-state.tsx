'use client'
import { useTranslations } from 'use-intl/react'
import { toFault } from '#lib/fault.ts'
import { faultDetail, useFaultText } from '#lib/use-fault-text.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Id } from './id.tsx'

type Props = {
  error: unknown
  onRetry?: () => void
  retrying?: boolean
  /** True when older data stays on the page; the message mentions it. */
  keepsData?: boolean
}

/** What happened, what was kept, what to do next, with the correlation id to copy. */
export function ErrorState({ error, onRetry, retrying, keepsData = false }: Props) {
  const t = useTranslations('ui')
  const te = useTranslations('errors')
  const text = useFaultText()
  const fault = toFault(error)
  return (
    <div
      role="alert"
      className="my-3 flex flex-wrap items-start gap-3 rounded border border-failed/40 bg-failed-soft px-4 py-3"
    >
      <Icon name="triangle-exclamation-point" className="mt-0.5 size-4 shrink-0 text-failed" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium text-ink">{te('title')}</p>
        <p className="text-ink-2">
          {text(fault)} {keepsData ? t('oldData') : null}
        </p>
        {faultDetail(fault) ? <p className="mt-1 text-sm text-ink-2">{faultDetail(fault)}</p> : null}
        {fault.correlationId ? (
          <p className="mt-1 text-sm text-ink-2">
            {te('correlation')}: <Id value={fault.correlationId} />
          </p>
        ) : null}
      </div>
      {onRetry ? (
        <Button
          size="sm"
          icon={<Icon name="rotate-cw" className="size-3.5" />}
          busy={retrying ?? false}
          onClick={onRetry}
        >
          {t('retry')}
        </Button>
      ) : null}
    </div>
  )
}
