'use client'
import { useTranslations } from 'use-intl/react'
import type { ProposalCommand } from '#domain/proposal/proposal-commands.rules.ts'
import { PaletteAction } from '#lib/palette-action.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { cx } from '#ui/cx.ts'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'

type Act = { command: ProposalCommand; no: string | undefined; run: () => void }

/** The acts of the menu in the command menu as well. */
export function InPalette({ actions }: { actions: readonly Act[] }) {
  const t = useTranslations('proposals')
  return actions.map((action) => (
    <PaletteAction
      key={action.command}
      id={`proposals.${action.command}`}
      label={t(action.command)}
      group={t('title')}
      run={action.run}
      disabledReason={action.no}
    />
  ))
}

/** What has no button of its own, behind one: a menu, and on a phone a sheet. */
export function MoreCommands({ actions, className }: { actions: readonly Act[]; className: string }) {
  const t = useTranslations('proposals')
  if (actions.length === 0) return null
  return (
    <Menu
      label={t('actions')}
      className={cx(buttonClass('secondary'), className)}
      sheet
      items={actions.map(({ command, no, run }) => ({
        id: command,
        label: t(command),
        run,
        ...(no ? { disabledReason: no } : {}),
      }))}
    >
      <Icon name="ellipsis" className="size-4" />
    </Menu>
  )
}
