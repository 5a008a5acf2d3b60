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

/** Creates a zone and shows its code, link and QR code once. `onMade` is called as soon as the zone is there. */
export function CreateZone({ onMade }: { onMade: () => void }) {
  const t = useTranslations('zones')
  const no = useRight('zone.manage')
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<CreatedZone | null>(null)
  const [copied, setCopied] = useState(false)
  const [warned, setWarned] = useState(false)
  const close = () => {
    setOpen(false)
    setMade(null)
    setCopied(false)
    setWarned(false)
  }
  // The code and the link are shown this once: a stray touch or Escape warns before it loses them.
  const leave = () => (made && !copied && !warned ? setWarned(true) : close())
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
        onClose={leave}
        title={made ? t('shareTitle') : t('createTitle')}
        description={made ? t('shareHint') : undefined}
      >
        {made ? (
          <ZoneCredentials
            made={made}
            warned={warned && !copied}
            onCopied={() => setCopied(true)}
            done={close}
          />
        ) : (
          <ZoneForm
            made={(zone) => {
              setMade(zone)
              onMade()
            }}
          />
        )}
      </Dialog>
    </>
  )
}
