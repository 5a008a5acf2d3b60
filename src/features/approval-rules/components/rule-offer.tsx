'use client'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { useSession } from '#lib/session.tsx'
import { IconButton } from '#ui/button.tsx'
import { Icon } from '#ui/icon.tsx'
import { Link } from '#ui/link.tsx'
import type { Alike } from '../use-rule-offer.ts'

/** One quiet line after five alike approvals: to a form for a rule that would have taken them. */
export function RuleOffer({ alike, onDismiss }: { alike: Alike | null; onDismiss: () => void }) {
  const t = useTranslations('approvalRules')
  const manages = may(useSession().role, 'rule.manage')
  if (!alike || !manages) return null
  const { agent, path } = alike
  return (
    <p role="status" className="mb-3 flex flex-wrap items-center gap-x-2 text-sm text-ink-2">
      <span>{t('offer', { agent, path })}</span>
      <Link href={`/settings?${new URLSearchParams({ rule: 'new', ...alike })}`}>{t('makeRule')}</Link>
      <IconButton label={t('dismiss')} onClick={onDismiss}>
        <Icon name="x" />
      </IconButton>
    </p>
  )
}
