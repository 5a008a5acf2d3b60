import { z } from 'zod'
import { changesRequested } from '#contracts/change-request.contract.ts'
import type { ContextSnapshot } from '#contracts/research.contract.ts'

const requested = changesRequested.pick({ note: true, comments: true }).extend({ target: z.string() })

/** What the owner asked to be changed of an earlier proposal: its path in the garden, and her words to look for. Null where she asked nothing. */
export function revisionOf({
  changes_requested,
}: Pick<ContextSnapshot, 'changes_requested'>): { path: string; words: string } | null {
  const asked = requested.safeParse(changes_requested)
  if (!asked.success) return null
  const { note, comments, target } = asked.data
  const words = [note ?? '', ...comments.map(({ body }) => body)].filter(Boolean).join('\n')
  return { path: target.replace(/^notes\//, ''), words }
}
