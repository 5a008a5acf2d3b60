import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillScenario } from '#prisma/seed/scenarios/fill.ts'
import { given, OWNER } from '#prisma/seed/scenarios/ground.ts'
import { setPassword } from '#server/auth/set-password.ts'
import { createServices } from '#server/composition/create-services.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import type { Services } from '#server/services.ts'
import { EXAMPLE_PASSWORD } from '../examples.ts'
import { ANY, MAKERS } from './example-makers.ts'
import type { Call, Real } from './example-objects.ts'
import { type TestGateway, testEnv, testGateway } from './gateway.ts'

export type ExampleWorld = {
  gateway: TestGateway
  services: Services
  /** What an address needs; `call` asks as the owner. */
  realOf(address: string, call: Call): Promise<Real>
  close(): Promise<void>
}

export async function exampleWorld(): Promise<ExampleWorld> {
  const ledger = await createTestDatabase()
  const home = await mkdtemp(join(tmpdir(), 'bloom-examples-'))
  const more = { BLOOM_HOME: home, LOG_LEVEL: 'silent' }
  const ownersEnv = testEnv(ledger.url, more)
  await fillScenario(ownersEnv, 'busy', 1)
  const ground = await createServices({ env: ownersEnv, service: 'test' })
  given(await setPassword(ground, { password: EXAMPLE_PASSWORD }, { ...OWNER, accountId: 'owner' }))
  const services = await createServices({ env: testEnv(ledger.webUrl, more), service: 'test' })
  const gateway = await testGateway({ over: { services, ledger } })
  return {
    gateway,
    services,
    realOf: (address, call) => realOf(ground, address, call),
    close: async () => {
      await services.close()
      await ground.close()
      await ledger.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function realOf(ground: Services, address: string, call: Call): Promise<Real> {
  const own = (await MAKERS[address]?.(ground, call)) ?? {}
  const path: Record<string, string> = {}
  for (const [, name = ''] of address.matchAll(/\{(\w+)\}/g))
    path[name] = own.path?.[name] ?? (await ANY[name]?.(ground)) ?? 'none'
  return { ...own, path }
}
