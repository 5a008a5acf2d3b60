import { ensureOwner } from '#server/auth/ensure-owner.ts'
import type { Services } from '#server/composition/services.ts'

/**
 * The services of this web process: composed at the first request that needs them and kept on globalThis, because the
 * framework bundles its routes apart. A composition that failed is tried again by the next request.
 */
const SERVICES = Symbol.for('garden-bloom.services')
type Holder = { [SERVICES]?: Promise<Services> }

export function webServices(): Promise<Services> {
  const holder = globalThis as Holder
  holder[SERVICES] ??= compose().catch((error: unknown) => {
    delete holder[SERVICES]
    throw error
  })
  return holder[SERVICES]
}

async function compose(): Promise<Services> {
  const { createServices } = await import('#server/composition/create-services.ts')
  const services = await createServices()
  await ensureOwner(services)
  return services
}
