'use client'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useCopy } from '#lib/use-copy.ts'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'

/** How much of an id is shown: kind and the end of long ones, the first eight of a digest. */
export function shortId(value: string): string {
  if (/^[0-9a-f]{40,64}$/.test(value)) return value.slice(0, 8)
  const uuid = /^((?:[a-z]+-)?[0-9a-f]{8})-[0-9a-f]{4}-/.exec(value)
  if (uuid) return uuid[1] as string
  return value.length > 22 ? `${value.slice(0, 12)}…${value.slice(-6)}` : value
}

/** A short id in mono; one click copies the whole. */
export function Id({
  value,
  full = false,
  className,
}: {
  value: string
  full?: boolean
  className?: string
}) {
  const t = useTranslations('ui')
  const toClipboard = useCopy()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = (event: React.MouseEvent) => {
    event.stopPropagation()
    toClipboard(value, () => setCopied(true))
  }
  const icon = copied ? 'check' : 'copy'
  return (
    <button
      type="button"
      onClick={copy}
      data-tip={copied ? t('copied') : value}
      className={cx(
        'group/id -mx-1 inline-flex max-w-full items-center gap-1 rounded px-1 font-mono text-[0.92em] text-ink-2 hover:bg-hover hover:text-ink',
        className,
      )}
    >
      <span
        {...(full ? {} : { 'data-paper': value })}
        className={full ? 'break-all text-left' : 'whitespace-nowrap'}
      >
        {full ? value : shortId(value)}
      </span>
      <Icon
        name={icon}
        className={cx(
          'size-3 shrink-0',
          copied ? 'text-done' : 'opacity-0 group-hover/id:opacity-60 group-focus-visible/id:opacity-60',
        )}
      />
      <span className="sr-only">{t('copyId', { id: value })}</span>
      <span className="sr-only" aria-live="polite">
        {copied ? t('copied') : ''}
      </span>
    </button>
  )
}

/** A digest: its algorithm and eight characters are shown; copying takes the whole. */
export function Digest({ value, algorithm = 'sha256' }: { value: string; algorithm?: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-ink-3">
      {algorithm} <Id value={value} />
    </span>
  )
}
