'use client'
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { Kbd } from './kbd.tsx'

export type PaletteItem = {
  id: string
  label: string
  /** Where it lies or whose it is, in a few words. */
  detail?: string | null
  /** Its state, at the end of the line. */
  badge?: ReactNode
  keys?: string
  disabledReason?: string | undefined
  run: () => void
}
export type PaletteGroup = { heading: string; items: readonly PaletteItem[] }

type Props = {
  /** In the order they are shown; empty ones are left out. */
  groups: readonly PaletteGroup[]
  typed: string
  onType: (typed: string) => void
  placeholder: string
  /** Shown while no item is. */
  nothing: string
  /** Closes the dialog it lives in: a touch screen has neither Escape nor much to tap beside it. */
  onClose: () => void
  /** Something is being searched for. */
  busy?: boolean
}

/** Everything by name. Lives in a Dialog; loaded when it is first opened. Which items are shown, and in which order, its user decides. */
export default function CommandPalette(props: Props) {
  const { groups, typed, onType, placeholder, nothing, onClose, busy = false } = props
  const t = useTranslations('ui')
  return (
    <Command label={placeholder} loop shouldFilter={false}>
      <div className="flex items-center border-b border-line">
        <Command.Input
          autoFocus
          data-autofocus
          value={typed}
          onValueChange={onType}
          placeholder={placeholder}
          className="h-12 min-w-0 flex-1 bg-transparent px-4 text-md outline-none"
        />
        <IconButton
          label={t('close')}
          className="mr-1 md:not-pointer-coarse:hidden"
          // Enter closes; the list around would run its highlighted item.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.stopPropagation()
          }}
          onClick={onClose}
        >
          <Icon name="x" />
        </IconButton>
      </div>
      <Command.List
        aria-busy={busy}
        className="relative max-h-[50dvh] overflow-y-auto p-1.5 max-md:max-h-[calc(85dvh-3rem)]"
      >
        <Command.Empty className="px-3 py-8 text-center text-ink-3">{nothing}</Command.Empty>
        {groups
          .filter(({ items }) => items.length > 0)
          .map(({ heading, items }) => (
            <Command.Group
              key={heading}
              heading={heading}
              className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3"
            >
              {items.map((item) => (
                <Item key={item.id} item={item} />
              ))}
            </Command.Group>
          ))}
      </Command.List>
    </Command>
  )
}

function Item({ item }: { item: PaletteItem }) {
  const { id, label, detail, badge, keys, disabledReason, run } = item
  return (
    <Command.Item
      value={id}
      disabled={disabledReason !== undefined}
      onSelect={run}
      className="flex min-h-9 items-center gap-3 rounded px-2.5 data-[disabled=true]:opacity-55 data-[selected=true]:bg-hover pointer-coarse:min-h-11"
    >
      <span className="min-w-0 flex-1 truncate">
        {label} {detail ? <span className="ml-1 text-sm text-ink-3">{detail}</span> : null}
      </span>
      {disabledReason ? (
        <span className="max-w-1/2 truncate text-sm text-ink-3">{disabledReason}</span>
      ) : null}
      {badge}
      {keys ? <Kbd keys={keys} /> : null}
    </Command.Item>
  )
}
