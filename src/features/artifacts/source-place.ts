import type { ArtifactSource } from '#contracts/research.contract.ts'

type Lines = ArtifactSource['lines']

export const linesOf = ({ from, to }: Lines): string => (from === to ? `${from}` : `${from}–${to}`)

/** Only notes have a page. */
export const isNote = (ref: string): boolean => /\.md$/i.test(ref)

/** Where a note can be read: at the cited lines and revision where they are given. */
export function noteHref(ref: string, lines?: Lines, revision?: string): string {
  const path = `/notes/${ref.split('/').map(encodeURIComponent).join('/')}`
  if (!lines) return path
  const at = revision ? `&revision=${revision}` : ''
  return `${path}?from=${lines.from}&to=${lines.to}${at}`
}
