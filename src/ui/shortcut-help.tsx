'use client'
import { useTranslations } from 'use-intl/react'
import { type Action, keysOf } from '#lib/actions.ts'
import { DialogFrame } from './dialog-frame.tsx'
import { Kbd } from './kbd.tsx'

type Props = {
  open: boolean
  onClose: () => void
  title: string
  actions: readonly Action[]
  otherGroup: string
}

/** Every keyboard shortcut that works on this page, by group. */
export function ShortcutHelp({ open, onClose, title, actions, otherGroup }: Props) {
  const t = useTranslations('ui')
  const groups = Map.groupBy(
    actions.filter((a) => keysOf(a).length > 0 && a.scope !== 'dialog'),
    (a) => a.group ?? otherGroup,
  )
  const order = [...groups.entries()].sort(([a], [b]) => Number(b === otherGroup) - Number(a === otherGroup))
  return (
    <DialogFrame open={open} onClose={onClose} title={title} width="lg" scrolls>
      <div className="columns-1 gap-8 sm:columns-2">
        {order.map(([group, list]) => (
          <section key={group} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm font-medium text-ink-3">{group || t('list')}</h3>
            <ul>
              {list.map((action) => (
                <li key={action.id} className="flex min-h-7 items-center justify-between gap-4">
                  <span className={action.disabledReason ? 'text-ink-3' : 'text-ink'}>
                    {action.label}
                    {action.disabledReason ? (
                      <span className="block text-sm">{action.disabledReason}</span>
                    ) : null}
                  </span>
                  <span className="flex shrink-0 gap-1.5">
                    {keysOf(action).map((keys) => (
                      <span key={keys}>
                        <span className="sr-only">{keys}</span>
                        <Kbd keys={keys} />
                      </span>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </DialogFrame>
  )
}
