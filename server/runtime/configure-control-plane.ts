import sql from 'sql-template-tag'
import type { RuntimeConfig, RuntimeConfigInput } from '#contracts/runtime-settings.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import {
  type ConfigEnv,
  type ControlPlaneConfig,
  configView,
  isSameOrigin,
  readControlPlaneConfig,
  storedKey,
} from './control-plane-config.ts'

/** Of the one row, in events. */
export const CONTROL_PLANE_SETTING = { type: 'setting', id: 'runtime.control_plane' }

const KEY_NEEDED = 'A new address needs its own admin key: the present one is not sent to another host.'

/**
 * Names the control plane and its key. The key of before stays with its host: another scheme, host or port without a key is refused with 400 and nothing
 * changes. A change ends what was known of the connection; saying what is so already changes nothing.
 */
export function configureControlPlane(
  db: Db,
  env: ConfigEnv,
  { membridge_server_url: url, admin_key: key }: RuntimeConfigInput,
  caller: Caller,
): Promise<Result<RuntimeConfig>> {
  return db.transaction(async (tx) => {
    const before = await readControlPlaneConfig(tx, env, { lock: true })
    const movesAway = !isSameOrigin(url, before.url)
    if (movesAway && key === null) {
      const details = [{ field: 'admin_key', message: KEY_NEEDED }]
      return refuse({ code: 'BAD_REQUEST', message: KEY_NEEDED, details })
    }
    if (url === before.url && (key === null || key === before.key)) return ok(configView(before))
    await write(tx, { url, sealed: key === null ? null : storedKey(key, url, env) })
    await recordEvent(tx, {
      ...{ name: 'config.changed', actor: caller, resource: CONTROL_PLANE_SETTING },
      details: changeOf(before, url, key),
    })
    return ok(configView(await readControlPlaneConfig(tx, env)))
  })
}

/** Without a new key the stored one stays, which is only asked for the same origin. */
async function write(tx: Db, { url, sealed }: { url: string; sealed: Uint8Array | null }): Promise<void> {
  await tx.query(sql`UPDATE runtime_config SET server_url = ${url}, admin_key = coalesce(${sealed}::bytea, admin_key), revision = revision + 1,
      tested_url = NULL, tested_at = NULL, fault = NULL, message = NULL, consecutive_failures = 0, last_success_at = NULL, updated_at = clock_timestamp()`)
}

/** That a key was given is told, and nothing of it. */
const changeOf = (before: ControlPlaneConfig, url: string, key: string | null) => ({
  changed: 'control_plane',
  membridge_server_url: url,
  was: before.url,
  replaced_key: key !== null,
})
