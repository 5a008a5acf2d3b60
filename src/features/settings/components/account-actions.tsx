'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AccountView } from '#contracts/auth.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { TextField } from '#ui/fields.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'
import { useInvalidate } from '../use-invalidate.ts'

/** Reset the password of an operator or disable the account. The owner's account has its own sections. */
export function AccountActions({ account }: { account: AccountView }) {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const invalidate = useInvalidate('accounts')
  const [asked, setAsked] = useState<'password' | 'disable' | null>(null)
  const [password, setPassword] = useState('')
  const disable = useToastMutation(trpc.accounts.disable.mutationOptions({ onSuccess: invalidate }), {
    done: () => t('disabled', { name: account.name }),
  })
  const reset = useToastMutation(trpc.accounts.resetPassword.mutationOptions({ onSuccess: invalidate }), {
    done: () => t('passwordReset', { name: account.name }),
    onFault: (fault) => fault.code === 'VALIDATION_FAILED',
  })
  // What is being written stays, though the account may be disabled meanwhile; the answer then says so.
  if (account.role === 'owner' || (account.disabled_at && asked === null)) return null
  const { account_id, name } = account
  const close = () => {
    setAsked(null)
    setPassword('')
  }
  return (
    <>
      <Menu
        label={t('accountActionsOf', { name })}
        className={buttonClass('quiet', 'sm')}
        items={[
          { id: 'password', label: t('resetPassword'), run: () => setAsked('password') },
          { id: 'disable', label: t('disable'), tone: 'danger', run: () => setAsked('disable') },
        ]}
      >
        <Icon name="ellipsis" className="size-4" />
      </Menu>
      <Confirm
        open={asked === 'password'}
        onClose={close}
        title={t('resetTitle', { name })}
        description={t('resetHint')}
        confirmLabel={t('resetPassword')}
        disabledReason={password === '' ? t('newPasswordHint') : undefined}
        onConfirm={() => reset.mutateAsync({ account_id, password })}
      >
        <TextField
          label={t('newPassword')}
          hint={t('newPasswordHint')}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="new-password"
          autoFocus
        />
      </Confirm>
      <Confirm
        open={asked === 'disable'}
        onClose={close}
        title={t('disableTitle', { name })}
        description={t('disableHint')}
        confirmLabel={t('disable')}
        tone="danger"
        onConfirm={() => disable.mutateAsync({ account_id })}
      />
    </>
  )
}
