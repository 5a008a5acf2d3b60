'use client'
import { Command } from 'cmdk'
import { type Action, keysOf } from '#lib/actions.ts'
import { Kbd } from './kbd.tsx'

type Props = {
  actions: readonly Action[]
  placeholder: string
  nothing: string
  otherGroup: string
  onClose: () => void
}

/** Everything by name. Lives in a Dialog; loaded when it is first opened. */
export default function CommandPalette({ actions, placeholder, nothing, otherGroup, onClose }: Props) {
  const groups = Map.groupBy(
    actions.filter((a) => a.palette !== false),
    (a) => a.group ?? otherGroup,
  )
  return (
    <Command label={placeholder} loop>
      <Command.Input
        autoFocus
        data-autofocus
        placeholder={placeholder}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-md outline-none"
      />
      <Command.List className="relative max-h-[50dvh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-8 text-center text-ink-3">{nothing}</Command.Empty>
        {[...groups.entries()].map(([group, list]) => (
          <Command.Group
            key={group}
            heading={group}
            className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3"
          >
            {list.map((action) => (
              <Command.Item
                key={action.id}
                value={`${action.label} ${action.id}`}
                disabled={action.disabledReason !== undefined}
                onSelect={() => {
                  onClose()
                  action.run()
                }}
                className="flex min-h-9 items-center gap-3 rounded px-2.5 data-[disabled=true]:opacity-55 data-[selected=true]:bg-hover"
              >
                <span className="min-w-0 flex-1 truncate">{action.label}</span>
                {action.disabledReason ? (
                  <span className="truncate text-sm text-ink-3">{action.disabledReason}</span>
                ) : null}
                {keysOf(action)[0] ? <Kbd keys={keysOf(action)[0] as string} /> : null}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  )
}
