import sql from 'sql-template-tag'
import { redact } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import type { CallParts } from './call-control-plane.ts'
import { noKeyIn, readControlPlaneConfig } from './control-plane-config.ts'
import { mergeWorkers } from './merge-workers.ts'
import { type Fleet, readFleet } from './read-fleet.ts'
import { recordContact } from './record-contact.ts'
import { RUNTIME } from './runtime-rows.ts'

/** Readings of several worker processes are no closer together than this. */
const APART_SECONDS = 10

/**
 * Reads the agents and nodes that the control plane has, and takes them into the list of workers [runtime#workers]; keeps how the call ended. Whoever comes while another process has
 * just begun does nothing. Returns how many workers were made, null where nothing was read.
 */
export async function updateWorkers(
  services: Pick<Services, 'db' | 'env'> & Omit<CallParts, 'env'>,
): Promise<number | null> {
  const { db, env } = services
  const { rows } = await db.query(
    sql`UPDATE runtime_config SET read_at = clock_timestamp()
      WHERE coalesce(read_at < clock_timestamp() - make_interval(secs => ${APART_SECONDS}), true) RETURNING 1`,
  )
  if (rows.length === 0) return null
  const config = await readControlPlaneConfig(db, env)
  // What answers may repeat what it was sent.
  const { url, key } = config
  const fleet: Fleet = key === null ? noKeyIn(config) : redact(await readFleet({ url, key }, services))
  await recordContact(db, { config, failed: 'fault' in fleet ? fleet : null }, RUNTIME)
  return 'fault' in fleet ? null : mergeWorkers(db, fleet.sightings)
}
