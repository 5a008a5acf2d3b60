import { frontmatterLines } from '#domain/garden/note-text.rules.ts'

/** The file with another `status` in its frontmatter and nothing else changed; a file without frontmatter stays as it is. */
export function withFileStatus(text: string, status: string): string {
  const end = frontmatterLines(text)
  if (end === 0) return text
  const lines = text.split('\n')
  const at = lines.findIndex((line, i) => i > 0 && i < end - 1 && /^status\s*:/.test(line))
  if (at >= 0) lines[at] = `status: ${status}`
  else lines.splice(end - 1, 0, `status: ${status}`)
  return lines.join('\n')
}
