'use client'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { SelectField } from '#ui/fields.tsx'
import { Menu } from '#ui/menu.tsx'
import { MINUTES, type Minutes } from './create-zone.tsx'

/** Change when a zone expires, or revoke it. */
export function ZoneActions({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const [asked, setAsked] = useState<'extend' | 'revoke' | null>(null)
  const [minutes, setMinutes] = useState<Minutes>('1440')
  const change = useToastMutation(trpc.zones.change.mutationOptions(), { done: () => t('extended') })
  const suggestions = useToastMutation(trpc.zones.change.mutationOptions(), {
    done: (changed) => t(changed.suggestions ? 'suggestionsOn' : 'suggestionsOff'),
  })
  const revoke = useToastMutation(trpc.zones.revoke.mutationOptions(), { done: () => t('revoked') })
  const close = () => setAsked(null)
  if (zone.status !== 'open') return null
  return (
    <>
      {(['extend', 'revoke'] as const).map((act) => (
        <PaletteAction
          key={act}
          id={`zones.${act}.${zone.zone_id}`}
          label={`${t(act)}: ${zone.name}`}
          group={t('title')}
          run={() => setAsked(act)}
        />
      ))}
      <Menu
        label={`${t('zone')} ${zone.name}`}
        className={buttonClass('quiet', 'sm')}
        items={[
          { id: 'extend', label: t('extend'), run: () => setAsked('extend') },
          {
            id: 'suggestions',
            label: t('takeSuggestions'),
            checked: zone.suggestions,
            run: () => suggestions.mutate({ zone_id: zone.zone_id, suggestions: !zone.suggestions }),
          },
          { id: 'revoke', label: t('revoke'), tone: 'danger', run: () => setAsked('revoke') },
        ]}
      >
        <Ellipsis className="size-4" aria-hidden />
      </Menu>
      <Confirm
        open={asked === 'extend'}
        onClose={close}
        title={t('extendTitle', { name: zone.name })}
        confirmLabel={t('extend')}
        onConfirm={() => change.mutateAsync({ zone_id: zone.zone_id, minutes: Number(minutes) })}
      >
        <SelectField
          label={t('duration')}
          value={minutes}
          onChange={(value) => setMinutes(value as Minutes)}
          options={MINUTES.map((m) => ({ value: m, label: t(`durations.${m}`) }))}
        />
      </Confirm>
      <Confirm
        open={asked === 'revoke'}
        onClose={close}
        title={t('revokeTitle', { name: zone.name })}
        description={t('revokeHint')}
        confirmLabel={t('revoke')}
        tone="danger"
        onConfirm={() => revoke.mutateAsync({ zone_id: zone.zone_id })}
      />
    </>
  )
}
