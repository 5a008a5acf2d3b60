import { z } from 'zod'
import {
  agentCommanded,
  agentHealth,
  commandAgentInput,
  controlPlaneContact,
} from '#contracts/runtime-settings.contract.ts'
import {
  correctAddressInput,
  drainWorkerInput,
  removeWorkerInput,
  workerCommandInput,
  workerDetail,
  workerRef,
  workerView,
} from '#contracts/worker.contract.ts'
import { ok } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { agentHealthOf, commandAgent } from './command-agent.ts'
import { connectionView, readControlPlaneConfig } from './control-plane-config.ts'
import {
  closeBreaker,
  correctAddress,
  drainWorker,
  NO_WORKER,
  releaseAll,
  removeWorker,
} from './manage-worker.ts'
import { getWorker, listWorkers } from './runtime-lists.query.ts'

/** Workers in the console: operators run them, the owner removes one, commands its agent or says where it is called, with a password of the last five minutes. */
export const workerOperations = operations('workers', {
  list: read('worker.read', {
    summary: 'List workers, by name',
    rest: null,
    output: z.object({ items: z.array(workerView) }),
    run: async ({ services }) => ({ items: await listWorkers(services.db) }),
  }),
  get: read('worker.read', {
    summary: 'Get a worker with its leases and last selections',
    rest: null,
    input: workerRef,
    output: workerDetail,
    run: async ({ services }, { id }) => {
      const worker = await getWorker(services.db, id)
      return worker ? ok(worker) : NO_WORKER
    },
  }),
  controlPlane: read('worker.read', {
    summary: 'Say whether the control plane answers, which also tells of workers',
    rest: null,
    output: controlPlaneContact,
    run: async ({ services }) => {
      const config = await readControlPlaneConfig(services.db, services.env)
      return { ...connectionView(config), fault: config.test?.fault ?? null }
    },
  }),
  drain: write('worker.operate', {
    summary: 'Drain a worker, or resume it',
    rest: null,
    input: drainWorkerInput,
    output: workerView,
    run: ({ services, caller }, { id, ...asked }) =>
      drainWorker(services.db, { workerId: id, ...asked }, caller),
  }),
  correctAddress: write('worker.control', {
    summary: 'Say where a worker is called, whatever it registers',
    rest: null,
    stepUp: true,
    input: correctAddressInput,
    output: workerView,
    run: ({ services, caller }, { id, ...asked }) =>
      correctAddress(services.db, { workerId: id, ...asked }, caller),
  }),
  release: write('worker.operate', {
    summary: 'Take every task from a worker before its lease ends',
    rest: null,
    input: workerCommandInput,
    output: z.object({ released: z.number().int() }),
    // One transaction for each lease, so that none waits for the others.
    transaction: 'own',
    run: async ({ services, caller }, { id, reason }) => ({
      released: await releaseAll(services.db, { workerId: id, reason }, caller),
    }),
  }),
  resetBreaker: write('worker.operate', {
    summary: 'Close the breaker of a worker',
    rest: null,
    input: workerCommandInput,
    output: workerView,
    run: ({ services, caller }, { id, reason }) =>
      closeBreaker(services.db, { workerId: id, reason }, caller),
  }),
  agentHealth: read('worker.read', {
    summary: 'Ask the agent of a worker how it is',
    rest: null,
    input: workerRef,
    output: agentHealth,
    run: ({ services }, { id }) => agentHealthOf(services, id),
  }),
  commandAgent: write('worker.control', {
    summary: 'Have the agent of a worker restart, update or uninstall itself',
    rest: null,
    stepUp: true,
    input: commandAgentInput,
    output: agentCommanded,
    // Waits for another machine.
    transaction: 'own',
    run: ({ services, caller }, { id, ...asked }) =>
      commandAgent(services, { workerId: id, ...asked }, caller),
  }),
  remove: write('worker.remove', {
    summary: 'Remove a worker',
    rest: null,
    stepUp: true,
    input: removeWorkerInput,
    output: z.object({ removed: z.literal(true), id: z.string() }),
    transaction: 'own',
    run: ({ services, caller }, { id, ...asked }) =>
      removeWorker(services.db, { workerId: id, ...asked }, caller),
  }),
})
