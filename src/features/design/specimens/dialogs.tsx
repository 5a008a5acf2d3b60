import { lazy, useState } from 'react'
import { ChooseOther, OtherLinks } from '#ui/choose-other.tsx'
import { Confirm } from '#ui/confirm.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import { TextField } from '#ui/fields.tsx'
import { AffectedSet, OutcomeDialog } from '#ui/outcome-dialog.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import type { Specimen } from '../specimen.ts'
import { SAMPLE_FAULT } from './sample-fault.ts'

const done = async () => undefined

function Plain() {
  const [open, setOpen] = useState(true)
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      title="About this garden"
      description="A sentence that explains the title."
    >
      <TextField label="Name" value="North bed" onChange={() => undefined} autoFocus />
    </Dialog>
  )
}

/** Its code never arrives. */
const Endless = lazy(() => new Promise<never>(() => undefined))

function OnDemand() {
  const [open, setOpen] = useState(true)
  if (!open) return null
  return (
    <DialogOnDemand onClose={() => setOpen(false)}>
      <Endless />
    </DialogOnDemand>
  )
}

type QuestionProps = Omit<Parameters<typeof Confirm>[0], 'open' | 'onClose' | 'title' | 'onConfirm'> & {
  onConfirm?: () => Promise<unknown>
}

function Question(props: QuestionProps) {
  const [open, setOpen] = useState(true)
  return (
    <Confirm
      open={open}
      onClose={() => setOpen(false)}
      title="Requeue 3 jobs?"
      description="They start again from their first attempt."
      onConfirm={done}
      {...props}
    />
  )
}

const BEDS = ['North bed', 'South bed', 'A bed whose name is much longer than any line of a dialog can be']
const NAMED = BEDS.map((name, n) => ({ id: String(n), name }))

function Outcome() {
  const [open, setOpen] = useState(true)
  if (!open) return null
  return (
    <OutcomeDialog
      title="Approved 2 proposals"
      description="1 couldn’t be approved and stays selected."
      label="Results"
      close={() => setOpen(false)}
      items={NAMED.map((one, n) => ({
        ...one,
        href: '/proposals',
        quiet: n > 0,
        status:
          n > 0 ? (
            <StatusBadge tone="done">Approved</StatusBadge>
          ) : (
            <StatusBadge tone="failed">In conflict</StatusBadge>
          ),
      }))}
    />
  )
}

const OTHERS = NAMED.map((one) => ({
  ...one,
  href: '/runs',
  facts: <StatusBadge tone="done">Completed</StatusBadge>,
}))

function Choose() {
  return (
    <ChooseOther
      act={{ id: 'choose', label: 'Compare', keys: 'd', group: 'Runs' }}
      title="Compare with"
      description="The latest ones of the same agent."
    >
      <OtherLinks others={OTHERS} error={null} onRetry={() => undefined} none="There is no other." />
    </ChooseOther>
  )
}

export const dialogs: Specimen = {
  name: 'Dialog and Confirm',
  of: [
    'dialog.tsx',
    'dialog-frame.tsx',
    'confirm.tsx',
    'confirm-dialog.tsx',
    'outcome-dialog.tsx',
    'dialog-on-demand.tsx',
    'choose-other.tsx',
  ],
  states: [
    { name: 'dialog', modal: true, Show: Plain },
    { name: 'dialog whose code is on its way', modal: true, Show: OnDemand },
    { name: 'confirmation', modal: true, Show: () => <Question confirmLabel="Requeue" /> },
    {
      name: 'confirmation with a reason',
      modal: true,
      Show: () => <Question confirmLabel="Reject" tone="danger" reason={{ min: 10 }} />,
    },
    {
      name: 'confirmation with the objects it affects',
      modal: true,
      Show: () => (
        <Question confirmLabel="Requeue">
          <AffectedSet names={NAMED} />
        </Question>
      ),
    },
    { name: 'choosing another object', Show: Choose },
    { name: 'outcome of a bulk command', modal: true, Show: Outcome },
    {
      name: 'confirmation that must wait',
      modal: true,
      Show: () => <Question confirmLabel="Requeue" disabledReason="Type the count to confirm" />,
    },
    {
      name: 'confirmation that is refused when it is given',
      modal: true,
      Show: () => <Question confirmLabel="Requeue" onConfirm={() => Promise.reject(SAMPLE_FAULT)} />,
    },
  ],
}
