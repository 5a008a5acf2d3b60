import { rm } from 'node:fs/promises'
import sql from 'sql-template-tag'
import { ensureOwner } from '#server/auth/ensure-owner.ts'
import { createServices } from '#server/composition/create-services.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { makeGarden, NOTES } from '#server/proposals/testing/garden-kit.ts'
import { onPort } from '#server/runtime/testing/scripted-node.ts'
import { stampPeerAddresses } from '../peer-address.ts'
import { testEnv, testGateway } from './gateway.ts'

/** The gateway over everything: ledger, garden, store, executor, composed as the web process composes them. */
export async function wholeGateway(notes: Record<string, string> = NOTES) {
  const [base, home] = await Promise.all([createTestDatabase(), makeGarden(notes)])
  const env = testEnv(base.webUrl, { BLOOM_HOME: home, LOG_LEVEL: 'silent' })
  const services = await createServices({ env, service: 'test' })
  await ensureOwner(services)
  const gateway = await testGateway({ over: { services, ledger: base } })
  return {
    ...gateway,
    close: async () => {
      await services.close()
      await base.drop()
      await rm(home, { recursive: true, force: true })
    },
  }
}
export type WholeGateway = Awaited<ReturnType<typeof wholeGateway>>

/** The whole gateway on a port of its own, where requests carry the address that they come from, as in the product. */
export async function listeningGateway() {
  stampPeerAddresses()
  const whole = await wholeGateway()
  const port = await onPort(whole.app)
  return {
    ...whole,
    url: port.url,
    close: async () => {
      await port.close()
      await whole.close()
    },
  }
}
export type ListeningGateway = Awaited<ReturnType<typeof listeningGateway>>

/** Keeps a session's row as it is while requests use it, so that digests of the ledger can be compared. */
export async function holdStill(gateway: Pick<WholeGateway, 'services'>, sid: string): Promise<void> {
  await gateway.services.db.query(
    sql`UPDATE session SET last_seen_at = clock_timestamp() + interval '1 hour', step_up_at = clock_timestamp() + interval '1 hour' WHERE sid = ${sid}`,
  )
}
