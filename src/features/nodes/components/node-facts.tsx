'use client'
import { useTranslations } from 'use-intl/react'
import type { FleetNode } from '#contracts/node.contract.ts'
import type { NodeState } from '#domain/membridge/liveness.rules.ts'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { nodeHref } from '../input.ts'
import { NODE_STYLES } from '../status.ts'

/** Whether a node is there, in a word. */
export function NodeStatus({ state, variant = 'plain' }: { state: NodeState; variant?: 'soft' | 'plain' }) {
  const t = useTranslations('nodes')
  return (
    <span className="whitespace-nowrap">
      <StatusBadge {...NODE_STYLES[state]} variant={variant}>
        {t(`state.${state}`)}
      </StatusBadge>
    </span>
  )
}

/** Under which key a node speaks: the admin key is marked, of its own the last end is shown. */
export function KeyState({ node }: { node: FleetNode }) {
  const t = useTranslations('nodes')
  if (node.admin_key)
    return (
      <Link
        href={nodeHref(node.node_id)}
        quiet
        className="whitespace-nowrap"
        aria-label={t('adminKeyOf', { node: node.node_id })}
      >
        <StatusBadge tone="waiting">{t('adminKey')}</StatusBadge>
      </Link>
    )
  if (node.keys.length === 0) return <span className="whitespace-nowrap text-ink-3">{t('noKey')}</span>
  const ends = node.keys.some((key) => key.expires_at === null)
    ? null
    : node.keys.reduce((latest, { expires_at: at }) => (at && at > latest ? at : latest), '')
  return (
    <span className="whitespace-nowrap text-ink-2">
      {t('ownKey')}
      {ends ? (
        <span className="text-ink-3">
          , {t('keyEnds')} <RelativeTime at={ends} />
        </span>
      ) : null}
    </span>
  )
}
