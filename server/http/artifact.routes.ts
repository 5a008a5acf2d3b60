import { artifactExportInput } from '#contracts/artifact.contract.ts'
import { exportArtifact } from '#server/artifacts/export-artifact.ts'
import { attachmentNamed } from './attachment.ts'
import { type Route, route } from './route.ts'

const TYPES = { md: 'text/markdown; charset=utf-8', json: 'application/json' } as const

/** Artifacts as files. */
export const artifactRoutes: Route[] = [
  route({
    at: 'GET /api/v1/artifacts/{artifact_id}/export',
    policy: { action: 'artifact.read' },
    summary: 'An artifact as a file: Markdown with citations as footnotes, or the exact stored bytes',
    tag: 'Artifacts',
    input: artifactExportInput,
    output: null,
    run: async ({ services, caller }, input) => {
      const exported = await exportArtifact(services, input, caller)
      if (!exported.ok) return exported
      const { bytes, title, digest } = exported.value
      return new Response(Uint8Array.from(bytes), {
        headers: {
          'content-type': TYPES[input.format],
          'content-disposition': attachmentNamed(title, { id: input.artifact_id, ending: input.format }),
          'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
          'cache-control': 'no-store',
        },
      })
    },
  }),
]
