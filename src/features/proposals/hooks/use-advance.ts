'use client'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '#lib/trpc.tsx'
import { showUrl } from '#ui/data-table-row.tsx'

/** Nobody looks at a proposal and decides it in less: a second press of the key that led here. */
const GLANCE_MS = 300

/** The step that an approval without an answer has led on by; one at a time, as there is one page. */
let step: { from: string; to: string; at: number } | null = null

/** Whether the proposal on screen came there an instant ago, by an approval that is not answered yet. */
export const isGlance = (): boolean => step !== null && performance.now() - step.at < GLANCE_MS

/**
 * An approval leads on before its answer is there, where the next one is read already. What was refused comes back, unless the reader has moved on
 * since.
 */
export function useAdvance({ next, search }: { next: string | undefined; search: string }) {
  const queries = useQueryClient()
  const trpc = useTRPC()
  const open = (id: string) => showUrl(`/proposals/${id}${search}`, true)
  const goOn = (from: string): boolean => {
    if (!next || !queries.getQueryData(trpc.proposals.get.queryKey({ proposal_id: next }))) return false
    step = { from, to: next, at: performance.now() }
    open(next)
    return true
  }
  const answered = (from: string) => {
    if (step?.from === from) step = null
  }
  const comeBack = (from: string) => {
    if (step?.from === from && window.location.pathname.endsWith(`/${step.to}`)) open(from)
    answered(from)
  }
  return { goOn, answered, comeBack }
}
