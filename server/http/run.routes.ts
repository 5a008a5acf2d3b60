import { runFileInput } from '#contracts/run-commands.contract.ts'
import { getRunArtifact } from '#server/artifacts/run-artifacts.query.ts'
import { type Route, route } from './route.ts'

/** Files of a run. */
export const runRoutes: Route[] = [
  route({
    at: 'GET /api/v1/runs/{run_id}/artifacts/{file}',
    policy: { action: 'run.read' },
    summary: 'Get the bytes of an artifact of a run',
    tag: 'Runs',
    input: runFileInput,
    output: null,
    run: async ({ services, caller }, asked) => {
      const found = await getRunArtifact(services, asked, caller)
      if (!found.ok) return found
      return new Response(Uint8Array.from(found.value), {
        headers: {
          'content-type': 'application/json',
          'content-disposition': `attachment; filename="${asked.file}"`,
        },
      })
    },
  }),
]
