import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Failed } from './call-control-plane.ts'
import { CONTROL_PLANE_SETTING } from './configure-control-plane.ts'
import type { ControlPlaneConfig } from './control-plane-config.ts'

const MESSAGE_CHARACTERS = 500

/**
 * Keeps how a call to the control plane ended. A configuration that changed meanwhile keeps nothing of it: its own call has still to come. A test is always an event; of the calls that are made all the
 * time, the one that failed after others had not, or the other way round.
 */
export async function recordContact(
  db: Db,
  {
    config,
    failed,
    isTest = false,
  }: {
    config: Pick<ControlPlaneConfig, 'url' | 'revision'>
    failed: Failed | null
    isTest?: boolean
  },
  caller: Caller,
): Promise<void> {
  const message = failed?.message.slice(0, MESSAGE_CHARACTERS) ?? null
  await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ turned: boolean }>(
      sql`UPDATE runtime_config SET tested_url = ${config.url}, tested_at = clock_timestamp(), fault = ${failed?.fault ?? null}, message = ${message},
        consecutive_failures = CASE WHEN ${failed !== null} THEN CASE WHEN tested_url = ${config.url} THEN consecutive_failures ELSE 0 END + 1 ELSE 0 END,
        last_success_at = CASE WHEN ${failed === null} THEN clock_timestamp() WHEN tested_url = ${config.url} THEN last_success_at END
      WHERE revision = ${config.revision} RETURNING (old.fault IS NULL) <> (new.fault IS NULL) AS turned`,
    )
    if (!isTest && !rows[0]?.turned) return
    await recordEvent(tx, {
      ...{ name: 'config.tested', actor: caller, resource: CONTROL_PLANE_SETTING },
      outcome: failed ? 'error' : 'ok',
      details: {
        membridge_server_url: config.url,
        ...(failed ? { fault: failed.fault, cause: message } : {}),
      },
    })
  })
}
