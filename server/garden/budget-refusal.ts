import { isMarkdown } from '#domain/garden/garden-path.ts'
import { budgetMessage } from '#domain/garden/note-budget.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { parseFaultInTime } from './read-note.ts'

/** Milliseconds that the parser is waited for: of a text that it has not come to by then only the measure is known. */
export const ADMISSION_MS = 800

/**
 * Why this text may not be proposed, or null: it passes a budget of the parser ([garden#budgets]). A file that passes one already came by
 * import or push; it may still be edited, since it is shown as plain text before and after. `until` by `performance.now()`.
 */
export async function budgetRefusal(
  path: string,
  text: string,
  current: string | null,
  until = performance.now() + ADMISSION_MS,
): Promise<Refusal | null> {
  if (!isMarkdown(path)) return null
  const fault = await parseFaultInTime(text, until)
  if (fault === null || (current !== null && (await parseFaultInTime(current, until)) !== null)) return null
  return {
    code: 'LIMIT_EXCEEDED',
    message: `The text of ${path} cannot be kept: it needs ${budgetMessage(fault)}.`,
    details: { path, ...fault },
  }
}
