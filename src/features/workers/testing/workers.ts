/** Workers for component tests; what is not named is that of one that is online and has nothing to do. */
import { z } from 'zod'
import {
  type AgentCommand,
  agentCommanded,
  agentHealth,
  type ControlPlaneContact,
  controlPlaneContact,
} from '#contracts/runtime-settings.contract.ts'
import { type WorkerDetail, type WorkerView, workerDetail, workerView } from '#contracts/worker.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

const SECOND_MS = 1_000
export const idOf = (name: string): string =>
  `00000000-0000-4000-8000-${[...name]
    .map((c) => (c.codePointAt(0) ?? 0).toString(16))
    .join('')
    .slice(0, 12)
    .padEnd(12, '0')}`

export const aWorker = (name: string, more: Partial<WorkerView> = {}): WorkerView =>
  workerView.parse({
    ...{ id: idOf(name), name, url: `https://${name}.example`, registered_url: `https://${name}.example` },
    ...{ callable: true, status: 'online' },
    capabilities: { claude_cli: true, max_concurrency: 2, labels: ['garden'], features: {} },
    ...{
      active_leases: 0,
      ip_addrs: ['10.0.0.2'],
      agent_version: '1.4.0',
      os_info: 'Linux',
      install_method: null,
    },
    ...{ last_heartbeat: Date.now() - 5 * SECOND_MS, offline_at: null, drained_at: null, drain_reason: null },
    rate_limited_until: null,
    breaker: { state: 'closed', failures: 0, cooldown_seconds: 60, open_until: null },
    registered_at: Date.now() - 20 * SECOND_MS,
    ...{ created_at: Date.now() - 3_600 * SECOND_MS, updated_at: Date.now() },
    ...more,
  } satisfies WorkerView)

type Details = Pick<WorkerDetail, 'leases' | 'last_selections'>
const NOTHING: Details = { leases: [], last_selections: [] }
const ANSWERING: ControlPlaneContact = {
  ...{ consecutiveFailures: 0, lastSuccess: Date.now(), lastError: null, connected: true, fault: null },
}

/** Workers behind the pages. `sent` is what was asked of them; what is changed there shows in the next answer. */
export function workerLedger(
  workers: WorkerView[],
  details: Details = NOTHING,
  contact: Partial<ControlPlaneContact> = {},
) {
  const sent: [string, unknown][] = []
  const find = (id: string): WorkerView => {
    const worker = workers.find((one) => one.id === id)
    if (!worker) throw new Refused('NOT_FOUND', 'Worker not found')
    return worker
  }
  const change = (what: string, input: { id: string }, more: Partial<WorkerView> = {}) => {
    sent.push([what, input])
    return Object.assign(find(input.id), more)
  }
  type Command = { id: string; reason: string }
  const room = router({
    list: query(z.object({ items: z.array(workerView) }), () => ({ items: workers })),
    controlPlane: query(controlPlaneContact, () => ({ ...ANSWERING, ...contact })),
    get: query(workerDetail, ({ id }: { id: string }) => ({ ...find(id), ...details })),
    drain: mutation(workerView, (input: Command & { drain: boolean }) =>
      change('drain', input, {
        drained_at: input.drain ? Date.now() : null,
        drain_reason: input.drain ? input.reason : null,
      }),
    ),
    correctAddress: mutation(workerView, (input: Command & { url: string | null }) =>
      change('correctAddress', input, { url: input.url }),
    ),
    release: mutation(z.object({ released: z.number() }), (input: Command) => {
      const released = find(input.id).active_leases
      change('release', input, { active_leases: 0 })
      return { released }
    }),
    resetBreaker: mutation(workerView, (input: Command) =>
      change('resetBreaker', input, { breaker: aWorker('any').breaker }),
    ),
    agentHealth: query(agentHealth, ({ id }: { id: string }) => {
      const { hostname } = new URL(find(id).url ?? '')
      return {
        ...{ reachable: true as const, checked_at: Date.now(), status: 'ok', version: '1.5', hostname },
        ...{ uptime_seconds: 7_200, allow_process_control: true },
      }
    }),
    commandAgent: mutation(agentCommanded, (input: Command & { command: AgentCommand }) => {
      change('commandAgent', input)
      const { id, command } = input
      return { ok: true as const, worker_id: id, command, dryrun: false, detail: '' }
    }),
    remove: mutation(z.object({ removed: z.literal(true), id: z.string() }), (input: Command) => {
      change('remove', input)
      workers.splice(workers.indexOf(find(input.id)), 1)
      return { removed: true as const, id: input.id }
    }),
  })
  return { procedures: { workers: room }, workers, sent }
}
