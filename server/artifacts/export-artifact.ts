import type { ArtifactExportInput } from '#contracts/artifact.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { artifactMarkdown } from './artifact-markdown.ts'
import { openArtifact } from './open-artifact.ts'

export type ExportedArtifact = {
  title: string
  bytes: Uint8Array
  /** SHA-256 of the bytes, in hex; of JSON the artifact's own `content_sha256`. */
  digest: string
}

const NOT_FOR_GUESTS = refuse({
  code: 'FORBIDDEN',
  message:
    'The stored document names its agent, job and run, which guests do not see. Export Markdown instead.',
})

/**
 * An artifact as a file ([artifacts#exports]), for whoever may read it: the exact stored bytes, or its text as Markdown. Guests get Markdown
 * alone, for the stored document says what they do not see of an artifact.
 */
export async function exportArtifact(
  parts: Pick<Services, 'database' | 'db' | 'garden' | 'reads' | 'store'>,
  { artifact_id, format, lang }: ArtifactExportInput,
  caller: Caller,
): Promise<Result<ExportedArtifact>> {
  const opened = await openArtifact(parts, artifact_id, caller)
  if (!opened.ok) return opened
  const { row, bytes, document, guest } = opened.value
  if (format === 'json')
    return guest ? NOT_FOR_GUESTS : ok({ title: row.title, bytes, digest: row.content_sha256 })
  const text = artifactMarkdown(document, { row, lang, guest })
  const markdown = Buffer.from(text)
  return ok({ title: row.title, bytes: markdown, digest: sha256Hex(markdown) })
}
