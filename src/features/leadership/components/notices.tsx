'use client'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'

/** What stands in the way of this project, each with its way out: the store, a lease that cannot be read, a primary that nobody chose. */
export function Notices({ project }: { project: ProjectLeadership }) {
  const t = useTranslations('leadership')
  return (
    <>
      {project.store_refusal === null ? null : (
        <Notice tone="failed" title={t('storeRefusal')} detail={project.store_refusal}>
          {t('storeRefusalText')}
        </Notice>
      )}
      {project.lease_state === 'unreadable' ? (
        <Notice tone="failed" title={t('unreadableTitle')} detail={project.fault}>
          {t('unreadableText')}
        </Notice>
      ) : null}
      {project.needs_ui_selection ? (
        <Notice tone="waiting" title={t('needsSelection')}>
          {t('needsSelectionText')}
        </Notice>
      ) : null}
    </>
  )
}

type NoticeProps = {
  tone: 'failed' | 'waiting'
  title: ReactNode
  /** The fault itself, as the server words it. */
  detail?: string | null
  children: ReactNode
}

const BOX = { failed: 'border-failed/40 bg-failed-soft', waiting: 'border-waiting/40 bg-waiting-soft' }
const ICON = { failed: 'text-failed', waiting: 'text-waiting' }

function Notice({ tone, title, detail, children }: NoticeProps) {
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
