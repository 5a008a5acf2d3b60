/** Settings and health of BLOOM Runtime, and the agents of its workers [runtime#wire]. */
import { z } from 'zod'
import {
  AGENT_COMMANDS,
  agentCommanded,
  agentCommandRequest,
  agentHealth,
  connectionTest,
  controlPlaneConnection,
  installScriptRequest,
  runtimeConfig,
  runtimeConfigInput,
} from '#contracts/runtime-settings.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { agentInstallScript } from '#server/runtime/agent-install-script.ts'
import { agentHealthOf, commandAgent } from '#server/runtime/command-agent.ts'
import { configureControlPlane } from '#server/runtime/configure-control-plane.ts'
import { configView, connectionView, readControlPlaneConfig } from '#server/runtime/control-plane-config.ts'
import { NO_WORKER } from '#server/runtime/manage-worker.ts'
import { testConnection } from '#server/runtime/test-connection.ts'
import { type HttpContext, type Route, route } from './route.ts'
import { isId } from './runtime-request.ts'

const tag = 'Runtime'
const BASE = '/api/runtime'
const STARTED = performance.now()

const health = route({
  ...{ at: `GET ${BASE}/health`, tag, summary: 'Say whether the runtime is up' },
  policy: { open: 'tells whether it answers, as a load balancer asks', uncounted: true, orKey: 'runtime' },
  output: z.object({
    ...{ status: z.string(), service: z.string(), uptime: z.number(), storage: z.string() },
    membridge: controlPlaneConnection.optional(),
  }),
  run: async (ctx) => {
    const { services } = ctx
    const up = await services.database.pool.query('SELECT 1').then(
      () => true,
      () => false,
    )
    if (!up) return refuse({ code: 'STORAGE_UNAVAILABLE', message: 'The database does not answer.' })
    const uptime = Math.round((performance.now() - STARTED) / 1_000)
    const known = isKnown(ctx)
      ? { membridge: connectionView(await readControlPlaneConfig(services.db, services.env)) }
      : {}
    return ok({ status: 'ok', service: 'bloom-runtime', uptime, storage: 'postgresql', ...known })
  },
})

/** The open part says nothing of other machines; who may read workers hears of the control plane, too. */
const isKnown = ({ caller, refusal }: HttpContext): boolean =>
  refusal === null && may(caller.role, 'worker.read')

const config: Route[] = [
  route({
    ...{ at: `GET ${BASE}/config`, tag, summary: 'Get which control plane the runtime calls' },
    policy: { action: 'settings.read' },
    output: runtimeConfig,
    run: async ({ services }) => configView(await readControlPlaneConfig(services.db, services.env)),
  }),
  route({
    ...{ at: `POST ${BASE}/config`, tag, summary: 'Set which control plane the runtime calls' },
    policy: { action: 'runtime.configure', stepUp: true },
    input: runtimeConfigInput,
    output: runtimeConfig,
    run: ({ services, caller }, input) => configureControlPlane(services.db, services.env, input, caller),
  }),
  route({
    ...{ at: `POST ${BASE}/test-connection`, tag, summary: 'Test the connection to the control plane' },
    policy: { action: 'runtime.test', orKey: 'runtime' },
    output: connectionTest,
    run: ({ services, caller, address, headers }) => testConnection(services, { caller, address, headers }),
  }),
]

const agents: Route[] = [
  route({
    ...{ at: `GET ${BASE}/workers/{id}/agent-health`, tag, summary: 'Ask the agent of a worker how it is' },
    policy: { action: 'worker.read', orKey: 'runtime' },
    input: z.object({ id: z.string() }),
    output: agentHealth,
    run: ({ services }, { id }) => (isId(id) ? agentHealthOf(services, id) : Promise.resolve(NO_WORKER)),
  }),
  ...AGENT_COMMANDS.map((command) =>
    route({
      ...{
        at: `POST ${BASE}/workers/{id}/agent-${command}` as const,
        tag,
        summary: `Have the agent of a worker ${command}`,
      },
      policy: { action: 'worker.control', stepUp: true },
      input: agentCommandRequest,
      output: agentCommanded,
      run: ({ services, caller }, { id, reason }) =>
        isId(id)
          ? commandAgent(services, { workerId: id, command, reason }, caller)
          : Promise.resolve(NO_WORKER),
    }),
  ),
  route({
    ...{ at: `GET ${BASE}/agent-install-script`, tag, summary: 'Get the script that makes a worker' },
    policy: { action: 'worker.read', orKey: 'runtime' },
    input: installScriptRequest,
    output: null,
    run: async ({ services }, { name }) => {
      const { url } = await readControlPlaneConfig(services.db, services.env)
      const values = { name: name ?? null, runtimeUrl: services.env.RUNTIME_URL, serverUrl: url }
      return new Response(agentInstallScript(values), {
        headers: {
          'content-type': 'text/x-shellscript; charset=utf-8',
          'content-disposition': 'attachment; filename="install-agent.sh"',
        },
      })
    },
  }),
]

export const runtimeSettingsRoutes: readonly Route[] = [health, ...config, ...agents]
