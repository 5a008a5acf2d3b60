import { parseDocument } from 'yaml'
import { frontmatterFault } from '#domain/garden/frontmatter-measure.rules.ts'
import { isMarkdown } from '#domain/garden/garden-path.ts'
import { frontmatterLines, MAX_NOTE_BYTES, noteTextFault } from '#domain/garden/note-text.rules.ts'
import type { ErrorCode } from '#domain/kernel/errors.ts'

/** The YAML between the fences of a note, or null when it has no frontmatter. */
export function frontmatterOf(text: string): string | null {
  const lines = frontmatterLines(text)
  return lines === 0
    ? null
    : text
        .split('\n')
        .slice(1, lines - 1)
        .join('\n')
}

/**
 * Why this text cannot be kept under this path, or null: among others, the frontmatter of Markdown must parse. One that passes its
 * budget is not parsed; the Inbox refuses it (`budget-refusal.ts`).
 */
export function fileFault(path: string, text: string): { code: ErrorCode; message: string } | null {
  const fault = noteTextFault(text)
  if (fault)
    return {
      code:
        text.length > MAX_NOTE_BYTES / 4 && fault.includes('1 MiB') ? 'LIMIT_EXCEEDED' : 'VALIDATION_FAILED',
      message: `The text of ${path} cannot be kept: ${fault}.`,
    }
  const frontmatter = isMarkdown(path) ? frontmatterOf(text) : null
  if (frontmatter === null || frontmatterFault(frontmatter)) return null
  const [error] = parseDocument(frontmatter, { logLevel: 'silent', prettyErrors: false }).errors
  if (!error) return null
  // The opening fence is line 1.
  const line = frontmatter.slice(0, error.pos[0]).split('\n').length + 1
  const message = `The frontmatter of ${path} does not parse: line ${line}, ${error.code}.`
  return { code: 'VALIDATION_FAILED', message }
}
