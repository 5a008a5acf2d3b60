/**
 * The kinds of machine keys and what a key of each may be used for ([keys#kinds]). A kind stands here once a route accepts its keys, or
 * their owner must be able to make them before; one kind is never accepted in place of another [auth#I-Z5].
 */
export const KEY_KINDS = {
  /** A Worker Node: its heartbeat, its registration, and the sync and tasks of that node. */
  node: { scopes: ['sync', 'tasks'] },
} as const

export type KeyKind = keyof typeof KEY_KINDS
export const KEY_KIND_NAMES = Object.keys(KEY_KINDS) as [KeyKind, ...KeyKind[]]

/** Keys of one node and kind that may be valid at a time: the one in use, and its successor while it is handed over. */
export const MAX_VALID_KEYS = 2

/** How long a key may be valid, in days; one without an end is valid until it is revoked. */
export const MAX_KEY_DAYS = 3_650
export const DEFAULT_KEY_DAYS = 365

/** How long the predecessor of a rotated key may stay valid, in hours. */
export const MAX_HANDOVER_HOURS = 720
export const DEFAULT_HANDOVER_HOURS = 24
