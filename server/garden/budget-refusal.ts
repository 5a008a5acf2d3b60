import { isMarkdown } from '#domain/garden/garden-path.ts'
import { budgetMessage } from '#domain/garden/note-budget.rules.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { parseFault } from './read-note.ts'

/**
 * Why this text may not be proposed, or null: it passes a budget of the parser ([garden#budgets]). A file that passes one already came by
 * import or push; it may still be edited, since it is shown as plain text before and after.
 */
export async function budgetRefusal(
  path: string,
  text: string,
  current: string | null,
): Promise<Refusal | null> {
  if (!isMarkdown(path)) return null
  const fault = await parseFault(text)
  if (fault === null || (current !== null && (await parseFault(current)) !== null)) return null
  return {
    code: 'LIMIT_EXCEEDED',
    message: `The text of ${path} cannot be kept: it needs ${budgetMessage(fault)}.`,
    details: { path, ...fault },
  }
}
