'use client'
import { useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { Notice } from '#ui/notice.tsx'

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
