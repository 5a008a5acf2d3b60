'use client'
import { useQueryClient } from '@tanstack/react-query'
import { isStillAt, showUrl } from '#lib/shown-path.ts'
import { useTRPC } from '#lib/trpc.tsx'

/** Nobody looks at a proposal and decides it in less: a second press of the key that led here. */
const GLANCE_MS = 300

/** The step that an approval without an answer has led on by; one at a time, as there is one page. */
let step: { from: string; to: string } | null = null
/** What an approval led to last, whether or not it is answered by now. */
let arrived: { at: number; id: string } | null = null

/** Whether this proposal came on screen an instant ago, by an approval. */
export const isGlance = (id: string): boolean =>
  arrived?.id === id && performance.now() - arrived.at < GLANCE_MS

/** A dialog over the review, or an editor in it, which would be gone with it; and where letters are being typed. */
const OPEN = '[data-review] dialog:modal, [data-writing]'
const FIELD =
  ':is(textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable=true], [data-review] form *):not(dialog *)'
const isWriting = (): boolean =>
  document.querySelector(OPEN) !== null || document.activeElement?.matches(FIELD) === true

/**
 * An approval leads on before its answer is there, where the next one is read already. What was refused comes back, unless the reader has moved on
 * since, or is writing.
 */
export function useAdvance({ next, search }: { next: string | undefined; search: string }) {
  const queries = useQueryClient()
  const trpc = useTRPC()
  const open = (id: string) => showUrl(`/proposals/${id}${search}`, true)
  const goOn = (from: string): boolean => {
    if (!next || !queries.getQueryData(trpc.proposals.get.queryKey({ proposal_id: next }))) return false
    step = { from, to: next }
    arrived = { at: performance.now(), id: next }
    open(next)
    return true
  }
  const answered = (from: string) => {
    if (step?.from === from) step = null
  }
  const comeBack = (from: string) => {
    const isThere = step?.from === from && isStillAt(`/proposals/${step.to}`)
    if (isThere && !isWriting()) open(from)
    answered(from)
  }
  return { goOn, answered, comeBack }
}
