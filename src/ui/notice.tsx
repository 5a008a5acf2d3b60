import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'

type NoticeProps = {
  tone: 'failed' | 'waiting'
  title: ReactNode
  /** The fault itself, as the server words it. */
  detail?: string | null
  children: ReactNode
}

const BOX = { failed: 'border-failed/40 bg-failed-soft', waiting: 'border-waiting/40 bg-waiting-soft' }
const ICON = { failed: 'text-failed', waiting: 'text-waiting' }

/** What a page has to say before what it shows: what is in the way, and the way out. */
export function Notice({ tone, title, detail, children }: NoticeProps) {
  return (
    <div
      role={tone === 'failed' ? 'alert' : 'note'}
      className={cx('mb-4 flex items-start gap-3 rounded border px-4 py-3', BOX[tone])}
    >
      <Icon name="triangle-exclamation-point" className={cx('mt-0.5 size-4 shrink-0', ICON[tone])} />
      <div className="min-w-0 max-w-prose">
        <p className="font-medium text-ink">{title}</p>
        {detail ? <p className="break-words font-mono text-sm text-ink-2">{detail}</p> : null}
        <p className="text-ink-2">{children}</p>
      </div>
    </div>
  )
}
