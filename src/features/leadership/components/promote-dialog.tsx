'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import {
  type ForceReason,
  lossOf,
  type Preflight,
  preflightPromotion,
  REASON_MIN,
} from '#domain/membridge/promotion.rules.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { Checkbox, SelectField, TextField } from '#ui/fields.tsx'
import { usePromote } from '../use-promote.ts'
import { PreflightList } from './preflight-list.tsx'
import type { PromotionProps } from './promotion.tsx'
import { Refused, Stale } from './promotion-conflict.tsx'

/**
 * Promotes a node: what it would cost, the typed name, force where it is needed, the reason. The counts follow the heartbeats while the dialog
 * is open; the epoch stays the one that was shown, so a promotion over a lease that changed meanwhile is neither offered nor accepted.
 */
export function PromoteDialog({ project, target, onClose }: PromotionProps & { target: string }) {
  const t = useTranslations('leadership')
  const [shown, setShown] = useState(project)
  const [chosen, setChosen] = useState(target)
  const [typed, setTyped] = useState('')
  const [forced, setForced] = useState<Forced | null>(null)
  const { promote, conflict } = usePromote()
  const preflight = chosen === '' ? null : preflightPromotion(project, chosen)
  const isForced = isForcedFor(forced, preflight)
  const isStale = project.epoch !== shown.epoch || project.primary_node_id !== shown.primary_node_id
  const reviewAgain = () => {
    setShown(project)
    setTyped('')
    setForced(null)
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      width="lg"
      title={t('promoteTitle')}
      description={t('promoteHint', { project: project.name })}
      confirmLabel={chosen === '' ? t('promote') : t('promoteNode', { node: chosen })}
      tone={preflight?.needsStepUp ? 'danger' : 'primary'}
      reason={{ min: REASON_MIN }}
      disabledReason={useWhyNot({ preflight, typed, isForced, isStale })}
      onConfirm={(reason) =>
        promote({
          cid: project.canonical_id,
          primary_node_id: chosen,
          reason,
          expected_epoch: shown.epoch ?? 0,
          force: isForced,
          accepted_loss: preflight && lossOf(preflight),
        })
      }
    >
      {isStale ? <Stale shown={shown} now={project} onReview={reviewAgain} /> : null}
      <ChooseNode project={project} value={chosen} onChange={setChosen} />
      {preflight && !isStale ? (
        <>
          <PreflightList project={project} preflight={preflight} />
          <Force
            preflight={preflight}
            value={isForced}
            onChange={(value) => setForced(value ? forcedBy(preflight) : null)}
          />
          <TextField
            label={t('typeName', { node: chosen })}
            value={typed}
            onChange={setTyped}
            mono
            autoComplete="off"
          />
        </>
      ) : null}
      {conflict ? <Refused conflict={conflict} /> : null}
      <div className="mt-3" />
    </ConfirmDialog>
  )
}

/** What force was accepted for; of another node, or of another danger, it says nothing. */
type Forced = { target: string; reason: ForceReason | null }
const forcedBy = ({ target, force }: Preflight): Forced => ({ target, reason: force })

const isForcedFor = (forced: Forced | null, preflight: Preflight | null): boolean =>
  forced !== null &&
  preflight !== null &&
  preflight.force !== null &&
  forced.target === preflight.target &&
  forced.reason === preflight.force

type Question = { preflight: Preflight | null; typed: string; isForced: boolean; isStale: boolean }

/** Why the promotion cannot be confirmed yet. */
function useWhyNot({ preflight, typed, isForced, isStale }: Question): string | undefined {
  const t = useTranslations('leadership')
  if (isStale) return t('reviewFirst')
  if (preflight === null) return t('chooseFirst')
  if (typed.trim() !== preflight.target) return t('typeNameMissing')
  return preflight.force !== null && !isForced ? t('forceMissing') : undefined
}

type ChooseProps = { project: ProjectLeadership; value: string; onChange: (node: string) => void }

function ChooseNode({ project, value, onChange }: ChooseProps) {
  const t = useTranslations('leadership')
  const label = (node: ProjectLeadership['nodes'][number]) =>
    t('optionOf', {
      node: node.node_id,
      state:
        node.node_id === project.primary_node_id
          ? t('currentPrimary')
          : t(node.online ? 'optionOnline' : 'optionOffline'),
      records: node.obs_count === null ? t('optionNoCount') : t('optionCount', { count: node.obs_count }),
    })
  return (
    <SelectField
      label={t('newPrimary')}
      autoFocus
      value={value}
      onChange={onChange}
      options={[
        ...(value === '' ? [{ value: '', label: t('chooseNode'), disabled: true }] : []),
        ...project.nodes.map((node) => ({ value: node.node_id, label: label(node) })),
      ]}
    />
  )
}

const FORCE_LABELS = {
  push_in_flight: 'force',
  lock_unreadable: 'forceLock',
  lease_unreadable: 'forceLease',
} as const

type ForceProps = { preflight: Preflight; value: boolean; onChange: (value: boolean) => void }

function Force({ preflight, value, onChange }: ForceProps) {
  const t = useTranslations('leadership')
  if (preflight.force === null) return null
  return <Checkbox label={t(FORCE_LABELS[preflight.force])} checked={value} onChange={onChange} />
}
