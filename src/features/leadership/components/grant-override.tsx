'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { GRANTS } from '#contracts/leadership.contract.ts'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { REASON_MIN } from '#domain/membridge/promotion.rules.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { SelectField } from '#ui/fields.tsx'

const MINUTES = [5, 15, 60] as const
type Override = (typeof GRANTS)[number]
/** In the order of what each allows, the least first. */
const OVERRIDES: readonly Override[] = [
  'ALLOW_SECONDARY_PUSH',
  'ALLOW_PRIMARY_PULL_OVERRIDE',
  'FORCE_PUSH',
  'LEADERSHIP_DISABLED',
]

/** Allows a node an override for a while; for the owner, and nothing for others. */
export function GrantOverride({ project }: { project: ProjectLeadership }) {
  const t = useTranslations('leadership')
  const { role } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [first] = project.nodes
  if (!may(role, 'leadership.grant') || !first) return null
  const open = () => setOpen(true)
  return (
    <>
      <PaletteAction id="leadership.grant" label={t('grant')} group={t('title')} run={open} />
      <Button size="sm" kind="quiet" onClick={open}>
        {t('grant')}
      </Button>
      {isOpen ? <GrantDialog project={project} first={first.node_id} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

type DialogProps = { project: ProjectLeadership; first: string; onClose: () => void }

function GrantDialog({ project, first, onClose }: DialogProps) {
  const t = useTranslations('leadership')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const [node, setNode] = useState(first)
  const [override, setOverride] = useState<Override>('ALLOW_SECONDARY_PUSH')
  const [minutes, setMinutes] = useState<string>(String(MINUTES[1]))
  const grant = useToastMutation(
    trpc.leadership.grant.mutationOptions({
      onSuccess: () => queries.invalidateQueries(trpc.leadership.history.pathFilter()),
    }),
    { done: ({ node_id }) => t('granted', { node: node_id }) },
  )
  return (
    <Confirm
      open
      onClose={onClose}
      title={t('grantTitle')}
      description={t('grantHint')}
      confirmLabel={t('grant')}
      tone="danger"
      reason={{ min: REASON_MIN }}
      onConfirm={(reason) =>
        grant.mutateAsync({
          cid: project.canonical_id,
          node_id: node,
          override,
          ttl_seconds: Number(minutes) * 60,
          reason,
        })
      }
    >
      <SelectField
        label={t('node')}
        value={node}
        onChange={setNode}
        options={project.nodes.map(({ node_id }) => ({ value: node_id, label: node_id }))}
      />
      <SelectField
        label={t('override')}
        value={override}
        onChange={(value) => setOverride(value as Override)}
        options={OVERRIDES.map((value) => ({ value, label: t(`overrides.${value}`) }))}
      />
      <SelectField
        label={t('minutes')}
        value={minutes}
        onChange={setMinutes}
        options={MINUTES.map((count) => ({ value: String(count), label: t('minutesOf', { count }) }))}
      />
      <div className="mt-3" />
    </Confirm>
  )
}
