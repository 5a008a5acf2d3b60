import { z } from 'zod'
import {
  DEFAULT_HANDOVER_HOURS,
  DEFAULT_KEY_DAYS,
  KEY_KIND_NAMES,
  MAX_HANDOVER_HOURS,
  MAX_KEY_DAYS,
} from '#domain/machine-key/key-kinds.ts'
import { type MachineKeyState, machineKeyMachine } from '#domain/machine-key/machine-key.machine.ts'
import { isNodeId, NODE_ID_FORM } from '#domain/membridge/identity.rules.ts'

const status = z.enum(machineKeyMachine.states as readonly [MachineKeyState, ...MachineKeyState[]])
const kind = z.enum(KEY_KIND_NAMES)
/** `MEMBRIDGE_NODE_ID` of the node, or its host name. */
const nodeId = z.string().trim().refine(isNodeId, NODE_ID_FORM)
/** Days from now; null: until the key is revoked. */
const days = z.number().int().min(1).max(MAX_KEY_DAYS).nullable().default(DEFAULT_KEY_DAYS)

export const createKeyRequest = z
  .object({
    kind: kind.default('node'),
    node_id: nodeId,
    name: z.string().trim().min(1).max(100),
    expires_in_days: days,
  })
  .strict()
export type CreateKey = z.infer<typeof createKeyRequest>

export const keyRef = z.object({ key_id: z.string().regex(/^[0-9a-f]{16}$/) }).strict()

/** How long the key that is rotated stays valid beside its successor; null: until it ends or is revoked. */
export const rotateKeyRequest = keyRef
  .extend({
    expires_in_days: days,
    previous_ends_in_hours: z
      .number()
      .int()
      .min(1)
      .max(MAX_HANDOVER_HOURS)
      .nullable()
      .default(DEFAULT_HANDOVER_HOURS),
  })
  .strict()
export type RotateKey = z.infer<typeof rotateKeyRequest>

/** A key as it is listed: its id names it, and of its secret nothing is known. */
export const keyView = z
  .object({
    key_id: z.string(),
    kind,
    node_id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    status,
    created_by: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    /** At most a minute behind while the key is in use; null: never used. */
    last_used_at: z.iso.datetime().nullable(),
  })
  .strict()
export type KeyView = z.infer<typeof keyView>

export const keyListRequest = z
  .object({
    status: status.optional(),
    node_id: nodeId.optional(),
    cursor: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type KeyList = z.infer<typeof keyListRequest>
export const keyPage = z.object({ items: z.array(keyView), next_cursor: z.string().nullable() }).strict()

/** `secret` is the whole key, shown this once; it can never be read again. */
export const createdKey = z.object({ key: keyView, secret: z.string() }).strict()
export type CreatedKey = z.infer<typeof createdKey>
