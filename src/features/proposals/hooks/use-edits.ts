'use client'
import { useMemo, useState } from 'react'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import type { EditInput } from '#contracts/proposal-commands.contract.ts'
import { REASON_LENGTH, type ReasonCode } from '#domain/proposal/decision.rules.ts'
import { useDraft } from '#lib/use-draft.ts'
import { askedOf, countsOf, editedFile, type FileEdits, toggled } from '../edits.ts'

const EMPTY = { files: '{}', remainder: 'reject', reason: '', note: '' }

/**
 * What the owner makes of a proposal before she approves it: hunks taken and left out, lines of her own. It is kept in this tab until it is
 * approved, so a reload or an ended session loses nothing.
 */
export function useEdits(proposal: ProposalView) {
  const draft = useDraft(`edit:${proposal.proposal_id}`, EMPTY, `/proposals/${proposal.proposal_id}`)
  const [open, setOpen] = useState(0)
  const [isWriting, setWriting] = useState(false)
  const isOffered = proposal.commands.includes('edit')
  const kept = useMemo(() => parsed(draft.values.files), [draft.values.files])
  const files = useMemo(
    () => proposal.changes.map((change) => editedFile(change, kept[change.path], isOffered)),
    [proposal.changes, kept, isOffered],
  )
  const set = (edits: FileEdits) => draft.set('files', JSON.stringify(edits))
  // Also an editor that is open over a file that has changed under it: what stands there is not what would be approved.
  const isLost = files.some((file) => file.isLost) || (isWriting && !files[open]?.canWrite)
  const isEdited = isLost || files.some((file) => file.isEdited)
  return {
    files,
    isOffered,
    isEdited,
    /** Something that was left out or written can no longer be approved: nothing is, until she starts over. */
    isLost,
    /** Nothing of the proposal is left. */
    isEmpty: files.every((file) => file.final === file.base),
    hasRest: files.some((file) => file.accepted.length < file.hunks.length),
    counts: countsOf(files),
    /** The file that keys are meant for, and whether its text is being edited: only she ends that, whatever becomes of the file. */
    open,
    setOpen: (n: number) => {
      setOpen(n)
      setWriting(false)
    },
    isWriting,
    setWriting,
    values: draft.values,
    setValue: draft.set,
    toggle: (n: number, hunk: number) => {
      const file = files[n]
      if (file) set({ ...kept, [file.path]: { hunks: toggled(file, hunk) } })
    },
    write: (n: number, text: string) => {
      const file = files[n]
      if (file) set({ ...kept, [file.path]: { hunks: kept[file.path]?.hunks ?? file.accepted, text } })
    },
    startOver: () => {
      draft.clear()
      setWriting(false)
    },
    input: (): EditInput => inputOf(proposal, askedOf(files), draft.values),
  }
}
export type Edits = ReturnType<typeof useEdits>

function parsed(files: string): FileEdits {
  try {
    return JSON.parse(files)
  } catch {
    return {}
  }
}

function inputOf(
  { proposal_id, review_digest }: ProposalView,
  changes: EditInput['changes'],
  values: typeof EMPTY,
): EditInput {
  const remainder = values.remainder === 'propose' ? 'propose' : 'reject'
  const note = values.note.trim()
  return {
    proposal_id,
    review_digest,
    changes,
    remainder,
    ...(note.length >= REASON_LENGTH.min ? { decision_note: note } : {}),
    ...(values.reason && remainder === 'reject' ? { reason_code: values.reason as ReasonCode } : {}),
  }
}
