'use client'
import { useTranslations } from 'use-intl/react'
import type { CreatedZone } from '#contracts/zone.contract.ts'
import { toast } from '#lib/toasts.ts'
import { useCopy } from '#lib/use-copy.ts'
import { Button } from '#ui/button.tsx'

type Props = { made: CreatedZone; warned: boolean; onCopied: () => void; done: () => void }

/** The code, link and QR code of a new zone; they cannot be read again later. `warned`: neither was copied, and the next closing loses them. */
export function ZoneCredentials({ made, warned, onCopied, done }: Props) {
  const t = useTranslations('zones')
  const toClipboard = useCopy()
  const copied = () => {
    toast({ tone: 'done', text: t('copied') })
    onCopied()
  }
  const copy = (text: string) => toClipboard(text, copied)
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p>
          <span className="block text-sm text-ink-3">{t('code')}</span>
          <b data-zone-code className="font-mono text-xl tracking-wide">
            {made.code}
          </b>
        </p>
        <Button onClick={() => copy(made.code)}>{t('copyCode')}</Button>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1">
          <span className="block text-sm text-ink-3">{t('link')}</span>
          <span className="block break-all font-mono text-sm">{made.link}</span>
        </p>
        <Button onClick={() => copy(made.link)}>{t('copyLink')}</Button>
      </div>
      <picture>
        <img src={made.qr} alt={t('qr')} width={176} height={176} className="rounded bg-white p-2" />
      </picture>
      {warned ? (
        <p role="alert" className="text-waiting">
          {t('notCopied')}
        </p>
      ) : null}
      <div className="flex justify-end">
        <Button kind="primary" onClick={done}>
          {t('done')}
        </Button>
      </div>
    </div>
  )
}
