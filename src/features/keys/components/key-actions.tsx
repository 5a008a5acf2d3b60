'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { KeyView } from '#contracts/key.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { RotateForm } from './rotate-form.tsx'

/** Rotate or revoke a valid key; nothing for who may not, and for a key that has ended. */
export function KeyActions({ of }: { of: KeyView }) {
  const t = useTranslations('keys')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { role } = useSession()
  const [asked, setAsked] = useState<'rotate' | 'revoke' | null>(null)
  const again = () => queries.invalidateQueries(trpc.keys.pathFilter())
  const revoke = useToastMutation(trpc.keys.revoke.mutationOptions({ onSuccess: again }), {
    done: () => t('keyRevoked'),
  })
  const { key_id, name, node_id: node } = of
  const close = () => setAsked(null)
  // What is open stays open, a new key above all, though this one may end meanwhile.
  if (!may(role, 'key.manage') || (of.status !== 'active' && asked === null)) return null
  return (
    <>
      {(['rotate', 'revoke'] as const).map((act) => (
        <PaletteAction
          key={act}
          id={`keys.${act}.${key_id}`}
          label={`${t(act)}: ${name}`}
          group={t('title')}
          run={() => setAsked(act)}
        />
      ))}
      <Menu
        label={t('actionsOf', { name })}
        className={buttonClass('quiet', 'sm')}
        items={[
          { id: 'rotate', label: t('rotate'), run: () => setAsked('rotate') },
          { id: 'revoke', label: t('revoke'), tone: 'danger', run: () => setAsked('revoke') },
        ]}
      >
        <Icon name="ellipsis" className="size-4" />
      </Menu>
      <KeyDialog
        open={asked === 'rotate'}
        onClose={close}
        title={t('rotateTitle', { name })}
        description={t('rotateHint', { node })}
      >
        {(made) => <RotateForm of={of} made={made} />}
      </KeyDialog>
      <Confirm
        open={asked === 'revoke'}
        onClose={close}
        title={t('revokeTitle', { name })}
        description={t('revokeHint', { node })}
        confirmLabel={t('revoke')}
        tone="danger"
        onConfirm={() => revoke.mutateAsync({ key_id })}
      />
    </>
  )
}
