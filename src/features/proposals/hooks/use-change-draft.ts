'use client'
import { useMemo, useState } from 'react'
import type { RequestChangesInput } from '#contracts/change-request.contract.ts'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { CHANGE_REQUEST } from '#domain/proposal/change-request.rules.ts'
import { useDraft } from '#lib/use-draft.ts'
import type { NotedLine } from '#ui/line-notes.tsx'

const EMPTY = { comments: '{}', note: '', siblings: '' }

export type CommentPlace = NotedLine & { path: string }
const keyOf = ({ path, side, line }: CommentPlace): string => `${side}:${line}:${path}`

function placeOf(key: string): CommentPlace {
  const [side, line, ...path] = key.split(':')
  return { path: path.join(':'), side: side === 'base' ? 'base' : 'proposed', line: Number(line) }
}

/**
 * The comments that the owner writes on the lines of a proposal, each as it is typed, and the note for all of them. They are kept in this tab
 * until they are sent, once, or discarded: a reload or an ended session loses nothing.
 */
export function useChangeDraft({ proposal_id, review_digest, commands, agent, changes }: ProposalView) {
  const draft = useDraft(`changes:${proposal_id}`, EMPTY, `/proposals/${proposal_id}`)
  const [isAsked, setAsked] = useState(false)
  const [writing, setWriting] = useState<string | null>(null)
  const kept = useMemo(() => parsed(draft.values.comments), [draft.values.comments])
  const keep = (all: Readonly<Record<string, string>>) => draft.set('comments', JSON.stringify(all))
  const isOffered = commands.includes('requestChanges') && agent !== null
  const comments = Object.entries(kept)
    .map(([key, body]) => ({ ...placeOf(key), body: body.trim() }))
    .filter(({ path, body }) => body !== '' && changes.some((change) => change.path === path))
  const note = draft.values.note.trim()
  const length = comments.reduce((sum, { body }) => sum + body.length, note.length)
  return {
    isOffered,
    /** The form is on screen: it was asked for, or something was written. */
    isOpen: isOffered && (isAsked || comments.length > 0 || note !== ''),
    isAsked,
    openForm: () => setAsked(true),
    comments,
    files: new Set(comments.map(({ path }) => path)).size,
    /** Characters beyond what may be sent at once. */
    excess: Math.max(0, length - CHANGE_REQUEST.characters),
    isEmpty: comments.length === 0 && note === '',
    values: draft.values,
    setValue: draft.set,
    /** What stands at this line of the draft; undefined where nothing does. */
    bodyAt: (at: CommentPlace): string | undefined => kept[keyOf(at)],
    isWriting: (at: CommentPlace): boolean => writing === keyOf(at),
    open: (at: CommentPlace) => {
      if (kept[keyOf(at)] === undefined) keep({ ...kept, [keyOf(at)]: '' })
      setWriting(keyOf(at))
    },
    write: (at: CommentPlace, body: string) => keep({ ...kept, [keyOf(at)]: body }),
    /** Closes the field; an empty comment is none. */
    done: (at: CommentPlace) => {
      setWriting(null)
      if (kept[keyOf(at)]?.trim() === '') keep(without(kept, keyOf(at)))
    },
    remove: (at: CommentPlace) => {
      setWriting(null)
      keep(without(kept, keyOf(at)))
    },
    discard: () => {
      draft.clear()
      setAsked(false)
      setWriting(null)
    },
    input: (): RequestChangesInput => ({
      proposal_id,
      review_digest,
      comments,
      ...(note ? { note } : {}),
      with_siblings: draft.values.siblings === 'yes',
    }),
  }
}
export type ChangeDraft = ReturnType<typeof useChangeDraft>

const without = (all: Readonly<Record<string, string>>, key: string) =>
  Object.fromEntries(Object.entries(all).filter(([one]) => one !== key))

function parsed(comments: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(comments)
  } catch {
    return {}
  }
}
