'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { CreatedZone } from '#contracts/zone.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { onDemand } from '#lib/on-demand.tsx'
import { useRight } from '#lib/session.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

const ZoneForm = onDemand(() => import('./zone-form.tsx').then((m) => m.ZoneForm))
const ZoneCredentials = onDemand(() => import('./zone-credentials.tsx').then((m) => m.ZoneCredentials))

/** Creates a zone and shows its code, link and QR code once. */
export function CreateZone() {
  const t = useTranslations('zones')
  const no = useRight('zone.manage')
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<CreatedZone | null>(null)
  const close = () => {
    setOpen(false)
    setMade(null)
  }
  useAction({
    id: 'zones.create',
    label: t('create'),
    keys: 'n',
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button kind="primary" keys="n" disabledReason={no} onClick={() => setOpen(true)}>
        {t('create')}
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title={made ? t('shareTitle') : t('createTitle')}
        description={made ? t('shareHint') : undefined}
      >
        {made ? <ZoneCredentials made={made} done={close} /> : <ZoneForm made={setMade} />}
      </Dialog>
    </>
  )
}
