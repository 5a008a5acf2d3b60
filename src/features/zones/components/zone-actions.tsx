'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ZoneView } from '#contracts/zone.contract.ts'
import { onDemand } from '#lib/on-demand.tsx'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'
import { useReadZones } from '../use-read-zones.ts'

const ZoneDialogs = onDemand(() => import('./zone-dialogs.tsx').then((m) => m.ZoneDialogs))

const COMMANDS = ['extend', 'revoke'] as const
export type ZoneCommand = (typeof COMMANDS)[number]
/** On the page of the zone; in a list each row has the same ones. */
const KEYS = { extend: 'e', suggestions: 's', revoke: 'r' } as const

/** Change when a zone of a list expires, whether it takes suggestions, or revoke it. */
export function ZoneActions({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  const [asked, request] = useState<ZoneCommand | null>(null)
  const { toggle } = useSuggestions(zone)
  // What is asked stays, though the zone may end meanwhile; the answer then says so.
  if (zone.status !== 'open' && asked === null) return null
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
        <Icon name="ellipsis" className="size-4" />
      </Menu>
      <Asked zone={zone} asked={asked} close={() => request(null)} />
    </>
  )
}

/** The same on the page of the zone, each with its key. */
export function ZoneButtons({ zone }: { zone: ZoneView }) {
  const t = useTranslations('zones')
  const no = useRight('zone.manage')
  const [asked, request] = useState<ZoneCommand | null>(null)
  const { toggle, isPending } = useSuggestions(zone)
  if (zone.status !== 'open' && asked === null) return null
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
      <Asked zone={zone} asked={asked} close={() => request(null)} />
    </>
  )
}

function useSuggestions({ zone_id, suggestions }: ZoneView) {
  const t = useTranslations('zones')
  const onSuccess = useReadZones()
  const { mutate, isPending } = useToastMutation(useTRPC().zones.change.mutationOptions({ onSuccess }), {
    done: (changed) => t(changed.suggestions ? 'suggestionsOn' : 'suggestionsOff'),
  })
  const toggle = () => {
    if (!isPending) mutate({ zone_id, suggestions: !suggestions })
  }
  return { toggle, isPending }
}

/** What is asked before it is done. */
function Asked({ zone, asked, close }: { zone: ZoneView; asked: ZoneCommand | null; close: () => void }) {
  return asked ? (
    <DialogOnDemand onClose={close}>
      <ZoneDialogs zone={zone} asked={asked} close={close} />
    </DialogOnDemand>
  ) : null
}
