'use client'
import { PaletteAction } from '#lib/palette-action.tsx'
import { buttonClass } from './button-class.ts'
import { Icon } from './icon.tsx'
import { Menu, type MenuItem } from './menu.tsx'

export type ObjectCommand = Exclude<MenuItem, { heading: unknown }> & { label: string }

type Props = {
  label: string
  items: readonly ObjectCommand[]
  /** Where the command menu offers the same, as on the object's own page: what ids begin with, and the heading. */
  palette: { room: string; group: string } | null
}

/** What can be done with one object, behind three dots. */
export function ObjectMenu({ label, items, palette }: Props) {
  return (
    <>
      {palette
        ? items.map(({ id, label: command, run, disabledReason }) => (
            <PaletteAction
              key={id}
              id={`${palette.room}.${id}`}
              label={command}
              group={palette.group}
              run={run}
              {...(disabledReason ? { disabledReason } : {})}
            />
          ))
        : null}
      <Menu label={label} className={buttonClass('quiet', 'sm')} items={items}>
        <Icon name="ellipsis" className="size-4" />
      </Menu>
    </>
  )
}
