import { useState } from 'react'
import { Confirm } from '#ui/confirm.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/fields.tsx'
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

export const dialogs: Specimen = {
  name: 'Dialog and Confirm',
  of: ['dialog.tsx', 'confirm.tsx'],
  states: [
    { name: 'dialog', modal: true, Show: Plain },
    { name: 'confirmation', modal: true, Show: () => <Question confirmLabel="Requeue" /> },
    {
      name: 'confirmation with a reason',
      modal: true,
      Show: () => <Question confirmLabel="Reject" tone="danger" reason={{ min: 10 }} />,
    },
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
