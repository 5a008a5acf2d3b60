import {
  changeRuntimeConfigInput,
  connectionTest,
  runtimeConfig,
} from '#contracts/runtime-settings.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { configureControlPlane } from './configure-control-plane.ts'
import { configView, readControlPlaneConfig } from './control-plane-config.ts'
import { testConnection } from './test-connection.ts'

/** The control plane that the runtime calls, in the console; programs have `/api/runtime` [runtime#wire]. */
export const runtimeConfigOperations = operations('runtime', {
  config: read('settings.read', {
    summary: 'Get which control plane the runtime calls',
    rest: null,
    output: runtimeConfig,
    run: async ({ services }) => configView(await readControlPlaneConfig(services.db, services.env)),
  }),
  configure: write('runtime.configure', {
    summary: 'Set which control plane the runtime calls',
    rest: null,
    stepUp: true,
    input: changeRuntimeConfigInput,
    output: runtimeConfig,
    run: ({ services, caller }, input) => configureControlPlane(services.db, services.env, input, caller),
  }),
  testConnection: write('runtime.test', {
    summary: 'Test the connection to the control plane',
    rest: null,
    output: connectionTest,
    // Waits for another machine.
    transaction: 'own',
    run: ({ services, caller, address }) => testConnection(services, { caller, address }),
  }),
})
