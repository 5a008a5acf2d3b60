import type { KeyKind } from './key-kinds.ts'
import type { MachineKeyState } from './machine-key.machine.ts'

/** Why a presented key is not accepted: told to the audit, never to whoever presents it. */
export type KeyFault = 'unknown key' | 'wrong kind of key' | 'revoked key' | 'expired key'

/** What the ledger says of the key that was named; `status` by the clock, `genuine` when the secret is the right one. */
export type NamedKey = { kind: KeyKind; status: MachineKeyState; genuine: boolean }

/**
 * Whether a key opens what is for keys of `kind`: null, or the first fault. Without the right secret nothing else is told of a key, so the
 * audit names no key that somebody only guessed at.
 */
export function keyFault(key: NamedKey | null, kind: KeyKind): KeyFault | null {
  if (!key?.genuine) return 'unknown key'
  if (key.kind !== kind) return 'wrong kind of key'
  if (key.status === 'revoked') return 'revoked key'
  return key.status === 'active' ? null : 'expired key'
}
