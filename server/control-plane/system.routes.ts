import { z } from 'zod'
import { controlPlaneHealth } from '#contracts/control-plane.contract.ts'
import { type Route, route } from '#server/http/route.ts'
import { healthLook } from './health.ts'
import { openPage, PAGE_FILES } from './page.ts'

const tag = 'System'

/** What is open to everybody: the health of this process, and the page. */
export function systemRoutes(consoleUrl: string): Route[] {
  const health = healthLook()
  const page = openPage(consoleUrl)
  return [
    route({
      at: 'GET /health',
      policy: {
        open: 'monitors and existing clients ask it; it names versions and counts alone',
        uncounted: true,
      },
      summary: 'Check whether the control plane can serve',
      tag,
      statusOf: ({ status }) => (status === 'ok' ? 200 : 503),
      output: controlPlaneHealth,
      run: ({ services }) => health(services),
    }),
    route({
      at: 'GET /ui',
      policy: { open: 'leads to the page', uncounted: true },
      summary: 'Go to the page of the control plane',
      tag,
      output: null,
      run: async () => new Response(null, { status: 307, headers: { location: '/static/ui.html' } }),
    }),
    route({
      at: 'GET /static/{name}',
      policy: { open: 'the page holds nothing that is secret', uncounted: true },
      summary: 'Get a file of the page',
      tag,
      input: z.strictObject({ name: z.enum(PAGE_FILES) }),
      output: null,
      run: async (_, { name }) => page.answer(name),
    }),
  ]
}
