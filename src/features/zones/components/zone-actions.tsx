'use client'
import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { SelectField } from '#ui/fields.tsx'
import { Menu } from '#ui/menu.tsx'
import { MINUTES, type Minutes } from './create-zone.tsx'

const COMMANDS = ['extend', 'revoke'] as const
type Command = (typeof COMMANDS)[number]
/** On the page of the zone; in a list each row has the same ones. */
const KEYS = { extend: 'e', suggestions: 's', revoke: 'r' } as const

/** Change when a zone of a list expires, whether it takes suggestions, or revoke it. */
export function ZoneActions({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  const [asked, request] = useState<Command | null>(null)
  const { toggle } = useSuggestions(zone)
  if (zone.status !== 'open') return null
  return (
    <>
      {COMMANDS.map((command) => (
        <PaletteAction
          key={command}
          id={`zones.${command}.${zone.zone_id}`}
          label={`${t(command)}: ${zone.name}`}
          group={t('title')}
          run={() => request(command)}
        />
      ))}
      <Menu
        label={`${t('zone')} ${zone.name}`}
        className={buttonClass('quiet', 'sm')}
        items={[
          { id: 'extend', label: t('extend'), run: () => request('extend') },
          { id: 'suggestions', label: t('takeSuggestions'), checked: zone.suggestions, run: toggle },
          { id: 'revoke', label: t('revoke'), tone: 'danger', run: () => request('revoke') },
        ]}
      >
        <Ellipsis className="size-4" aria-hidden />
      </Menu>
      <ZoneDialogs zone={zone} asked={asked} close={() => request(null)} />
    </>
  )
}

/** The same on the page of the zone, each with its key. */
export function ZoneButtons({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  const no = useRight('zone.manage')
  const [asked, request] = useState<Command | null>(null)
  const { toggle, isPending } = useSuggestions(zone)
  if (zone.status !== 'open') return null
  const button = (id: keyof typeof KEYS, label: string, run: () => void) => (
    <>
      <PaletteAction
        id={`zones.${id}.${zone.zone_id}`}
        keys={KEYS[id]}
        label={label}
        group={t('title')}
        run={run}
        disabledReason={no}
      />
      <Button
        kind={id === 'revoke' ? 'danger' : 'secondary'}
        keys={KEYS[id]}
        disabledReason={no}
        busy={id === 'suggestions' && isPending}
        onClick={run}
      >
        {label}
      </Button>
    </>
  )
  return (
    <>
      {button('extend', t('extend'), () => request('extend'))}
      {button('suggestions', t(zone.suggestions ? 'page.suggestStop' : 'page.suggestAllow'), toggle)}
      {button('revoke', t('revoke'), () => request('revoke'))}
      <ZoneDialogs zone={zone} asked={asked} close={() => request(null)} />
    </>
  )
}

function useSuggestions({ zone_id, suggestions }: ZoneView) {
  const t = useTranslations('zones')
  const { mutate, isPending } = useToastMutation(useTRPC().zones.change.mutationOptions(), {
    done: (changed) => t(changed.suggestions ? 'suggestionsOn' : 'suggestionsOff'),
  })
  return { toggle: () => mutate({ zone_id, suggestions: !suggestions }), isPending }
}

type DialogProps = { zone: ZoneView; asked: Command | null; close: () => void }

/** What is asked before it is done. */
function ZoneDialogs({ zone, asked, close }: DialogProps) {
  const t = useTranslations('zones')
  const trpc = useTRPC()
  const [minutes, setMinutes] = useState<Minutes>('1440')
  const change = useToastMutation(trpc.zones.change.mutationOptions(), { done: () => t('extended') })
  const revoke = useToastMutation(trpc.zones.revoke.mutationOptions(), { done: () => t('revoked') })
  return (
    <>
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
