import { useState } from 'react'
import type { Action } from '#lib/actions.ts'
import CommandPalette, { type PaletteGroup } from '#ui/command-palette.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ShortcutHelp } from '#ui/shortcut-help.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import type { Specimen } from '../specimen.ts'

const run = () => undefined
const ACTIONS: readonly Action[] = [
  { id: 'approve', label: 'Approve', keys: 'a', run },
  { id: 'reject', label: 'Reject', keys: 'r', run, disabledReason: 'Only the owner can do this' },
  { id: 'go.jobs', label: 'Go to Jobs', keys: 'g j', group: 'Go to', run },
  { id: 'sheet', label: 'Show keys', keys: '?', group: 'Console', run },
]

const GROUPS: readonly PaletteGroup[] = [
  {
    heading: 'Recent',
    items: [
      {
        id: 'n',
        label: 'Leeks',
        detail: 'Beds/Leeks.md',
        badge: <StatusBadge tone="failed">Failed</StatusBadge>,
        run,
      },
    ],
  },
  {
    heading: 'Commands',
    items: ACTIONS.map(({ id, label, disabledReason }) => ({ id, label, disabledReason, keys: 'a', run })),
  },
]

function Palette() {
  const [open, setOpen] = useState(true)
  const [typed, setTyped] = useState('')
  return (
    <Dialog open={open} onClose={() => setOpen(false)} title="Commands" bare>
      <CommandPalette
        groups={GROUPS}
        typed={typed}
        onType={setTyped}
        placeholder="Type a command"
        nothing="No such command"
        onClose={run}
      />
    </Dialog>
  )
}

function Sheet() {
  const [open, setOpen] = useState(true)
  return (
    <ShortcutHelp
      open={open}
      onClose={() => setOpen(false)}
      title="Keys"
      actions={ACTIONS}
      otherGroup="On this page"
    />
  )
}

export const commands: Specimen = {
  name: 'Command palette and shortcut help',
  of: ['command-palette.tsx', 'shortcut-help.tsx'],
  states: [
    { name: 'palette', modal: true, Show: Palette },
    { name: 'shortcut help', modal: true, Show: Sheet },
  ],
}
