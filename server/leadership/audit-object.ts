import { isObject, parseObject, textOf } from '#domain/leadership/json-fields.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import type { AuditEvent } from '#domain/leadership/protocol-effects.ts'
import { nodeIdInKey } from '#domain/membridge/identity.rules.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { ObjectConflict, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'

export type AuditStore = Pick<ObjectStore, 'observe' | 'create' | 'get'>
/** `lease` is the one that was written; of an override without one, `null`. */
export type AuditEntry = {
  canonicalId: string
  event: AuditEvent
  lease: Lease | null
  reason: string | null
  actor: string
}
export type AuditWriter = (entry: AuditEntry) => Promise<void>

/**
 * Writes the audit object of a change of leadership, create-only: `<time>-<node>.json`, and with its epoch behind the node where that name
 * is taken, and at last with a digest of its text ([membridge#objects]). The same lease and event lead to the same object, so a repeat writes none. Throws
 * `StorageUnavailable`, and `ObjectConflict` when something else has all of these names: then nothing is recorded.
 */
export async function writeAuditObject(store: AuditStore, entry: AuditEntry): Promise<void> {
  const { canonicalId, event, lease, reason, actor } = entry
  const { audits, lease: leaseKey } = projectKeys(canonicalId)
  const at = lease?.issued_at ?? (await store.observe(leaseKey)).storeTime.getTime() / 1000
  const text = textOf({ ...lease, canonical_id: canonicalId, event, timestamp: at, actor, reason })
  const name = `${audits}${stampOf(at)}-${nodeIdInKey(lease?.primary_node_id ?? actor)}`
  const suffixed = `${name}-${lease ? lease.epoch : Math.round(at * 1000)}`
  // Overrides of one moment have no epoch to tell them apart.
  const last = `${suffixed}-${sha256Hex(text).slice(0, 8)}.json`
  for (const key of [`${name}.json`, `${suffixed}.json`, last]) {
    if (await isThere(store, key, { event, lease, text })) return
    try {
      await store.create(key, new TextEncoder().encode(text), 'application/json')
      return
    } catch (error) {
      if (!(error instanceof ObjectConflict)) throw error
    }
  }
  throw new ObjectConflict(last, `every name of the audit object of ${event} is taken`)
}

type Wanted = { event: AuditEvent; lease: Lease | null; text: string }

/** Whether the object is of this very write, whoever recorded it and with which reason. */
async function isThere(store: AuditStore, key: string, { event, lease, text }: Wanted): Promise<boolean> {
  const object = await store.get(key)
  if (object === null) return false
  const found = new TextDecoder().decode(object.bytes)
  if (found === text) return true
  const parsed = parseObject(found)
  if (!parsed.ok || !isObject(parsed.value) || lease === null) return false
  return parsed.value.event === event && parsed.value.nonce === lease.nonce && lease.nonce !== null
}

/** `20261123T073000Z`. */
const stampOf = (seconds: number): string =>
  new Date(Math.floor(seconds) * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
