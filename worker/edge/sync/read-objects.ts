import { type LeaseLook, lookAtLease } from '#domain/leadership/lease-object.ts'
import { type LockLook, lookAtLock } from '#domain/leadership/lock-object.ts'
import { lookAtPointer, type PointerLook } from '#domain/leadership/pointer-object.ts'
import {
  type FencedObject,
  type ObjectRead,
  type Protocol,
  perform,
} from '#domain/leadership/protocol-effects.ts'
import { runProtocol } from '#server/leadership/run-protocol.ts'
import { partsOf } from './leadership-parts.ts'
import type { NodeContext } from './node-context.ts'

/** One object of a project's leadership as it stands, for messages and comparisons. A store that does not answer is unreadable. */
export const readPointer = async (node: NodeContext): Promise<PointerLook> =>
  lookAtPointer(await readObject(node, 'pointer'))
export const readLease = async (node: NodeContext): Promise<LeaseLook> =>
  lookAtLease(await readObject(node, 'lease'))
export const readLock = async (node: NodeContext): Promise<LockLook> =>
  lookAtLock(await readObject(node, 'lock'))

async function readObject(node: NodeContext, object: FencedObject): Promise<ObjectRead> {
  function* reading(): Protocol<ObjectRead> {
    return yield* perform({ effect: 'read', object })
  }
  return (await runProtocol(reading(), partsOf(node))) ?? { found: 'unknown', reason: 'asked to stop' }
}
