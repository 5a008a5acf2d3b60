'use client'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RuntimeConfig } from '#contracts/runtime-settings.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/fields.tsx'
import { useInvalidate } from '../use-invalidate.ts'

type Props = { config: RuntimeConfig }

/** Names another control plane, or another key of the same one. */
export function ChangeControlPlane({ config }: Props) {
  const t = useTranslations('settings')
  const no = useRight('runtime.configure')
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const show = () => setOpen(true)
  useAction({
    ...{ id: 'settings.controlPlane', label: t('changeControlPlane'), group: t('title'), run: show },
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button disabledReason={no} onClick={show}>
        {t('changeControlPlane')}
      </Button>
      <Dialog
        open={open}
        onClose={close}
        title={t('changeControlPlane')}
        description={t('changeControlPlaneHint')}
        width="sm"
      >
        <ControlPlaneForm config={config} done={close} />
      </Dialog>
    </>
  )
}

/** Another scheme, host or port: the key of the present one isn't for it. */
function isNewHost(written: string, present: string): boolean {
  return URL.canParse(written) && URL.canParse(present)
    ? new URL(written).origin !== new URL(present).origin
    : false
}

type Faults = { address?: string; key?: string }

function ControlPlaneForm({ config, done }: Props & { done: () => void }) {
  const t = useTranslations('settings')
  const [address, setAddress] = useState(config.membridge_server_url)
  const [key, setKey] = useState('')
  const [faults, setFaults] = useState<Faults>({})
  const save = useSave({ done, setFaults })
  const isMoving = isNewHost(address.trim(), config.membridge_server_url)
  const ready = address.trim() !== '' && (key !== '' || !isMoving)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!ready || save.isPending) return
    setFaults({})
    save.mutate({ membridge_server_url: address.trim(), ...(key ? { admin_key: key } : {}) })
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={t('controlPlaneAddress')}
        hint={t('controlPlaneAddressHint')}
        value={address}
        onChange={setAddress}
        error={faults.address}
        maxLength={2_048}
        autoFocus
        mono
      />
      <TextField
        label={t('adminKey')}
        hint={isMoving ? <strong className="text-ink">{t('adminKeyDropped')}</strong> : t('adminKeyKept')}
        type="password"
        value={key}
        onChange={setKey}
        error={faults.key}
        required={isMoving}
        maxLength={512}
        autoComplete="off"
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={save.isPending} disabled={!ready}>
          {t('saveControlPlane')}
        </Button>
      </div>
    </form>
  )
}

function useSave({ done, setFaults }: { done: () => void; setFaults: (faults: Faults) => void }) {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const invalidate = useInvalidate('runtime')
  const onSuccess = () => {
    done()
    return invalidate()
  }
  return useToastMutation(trpc.runtime.configure.mutationOptions({ onSuccess }), {
    done: () => t('controlPlaneSaved'),
    onFault: ({ code, fields }) => {
      const has = (name: string) => fields.some(({ field }) => field === name)
      // The server knows the present host; another person may have changed it meanwhile.
      const keyFault = code === 'BAD_REQUEST' ? t('adminKeyDropped') : t('adminKeyFault')
      setFaults({
        ...(has('membridge_server_url') ? { address: t('controlPlaneAddressFault') } : {}),
        ...(has('admin_key') ? { key: keyFault } : {}),
      })
      return has('membridge_server_url') || has('admin_key')
    },
  })
}
