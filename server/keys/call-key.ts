/** Under which key a node is called, and on whose word a key goes to an address [keys#calls-to-nodes]. */
import sql, { type Sql } from 'sql-template-tag'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import type { KeyKind } from '#domain/machine-key/key-kinds.ts'
import { nodeCallKey } from './node-call-key.ts'

const NODE: KeyKind = 'node'

/** Whose registrations bring a key out: of existing clients under the admin key, and of the owner, who has it anyway. */
export const TRUSTED: readonly string[] = [CONTROL_PLANE_ADMIN.identity, 'owner']

/** The node of this name was joined by a key of its own, in whatever state that key is now. */
export const isJoined = (name: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM machine_key k WHERE k.kind = ${NODE} AND k.node_id = ${name})`

/** A joined node has a key of its own, and never sees the main key; an existing client has the main key alone. */
export const callKeyOf = ({ name, joined }: { name: string; joined: boolean }, agentKey: string): string =>
  joined ? nodeCallKey(agentKey, name) : agentKey
