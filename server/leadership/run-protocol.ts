/**
 * Performs the protocols of [leadership] over an object store, for nodes and for the control plane alike.
 *
 * Each effect is performed once and answered; nothing that a store or a network does is thrown into a protocol. Who runs one gives
 * the clock, the randomness, and what a push does besides. A protocol that is asked to stop goes through its `finally`, which lets the Push
 * Lock go; from its write of a commit on it is no longer stopped, since only its own end says what became of that write. One whose process is
 * killed is finished by others.
 */
import { randomBytes } from 'node:crypto'
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Answer,
  Answers,
  Effect,
  ObjectRead,
  Protocol,
  WriteAnswer,
  WriteEffect,
} from '#domain/leadership/protocol-effects.ts'
import { digestOfLine, projectKeys } from '#domain/membridge/project-keys.ts'
import { ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import { type AuditStore, type AuditWriter, writeAuditObject } from './audit-object.ts'

type Of<K extends Effect['effect']> = Extract<Effect, { effect: K }>

/** What a push does besides reading and writing the three objects. None of it throws. */
export type PushWork = {
  snapshot(): Promise<Answers['snapshot']>
  upload(seconds: number): Promise<Answers['upload']>
  mirror(): Promise<Answers['mirror']>
}

export type ProtocolParts = {
  store: Pick<ObjectStore, 'observe' | 'replace'> & AuditStore
  canonicalId: string
  /** Who is named in audit objects. */
  actor: string
  /** Told of what could not be recorded; nothing else depends on it. */
  warn: (line: string) => void
  work?: PushWork
  /** Called before each write; what it throws ends the protocol, and nothing of that write has happened. */
  beforeWrite?: (write: WriteEffect) => Promise<void>
  audit?: AuditWriter
  /** Told of each effect before it is performed. */
  onEffect?: (effect: Effect) => void
  clock?: Clock
  stopped?: AbortSignal
}

/** `monotonic` is in seconds of a clock that nobody sets and that goes on while the machine sleeps. */
export type Clock = { monotonic(): number; pause(seconds: number, stopped?: AbortSignal): Promise<void> }

export const MACHINE_CLOCK: Clock = {
  monotonic: () => os.uptime(),
  pause: (seconds, signal) => sleep(seconds * 1000, undefined, signal ? { signal } : {}).catch(() => {}),
}

/** Runs the protocol to its end; `null` when it was asked to stop before, and before any commit. */
export async function runProtocol<T>(protocol: Protocol<T>, parts: ProtocolParts): Promise<T | null> {
  const perform = interpreterOf(parts)
  let isStopping = false
  let isCommitting = false
  let next = protocol.next(undefined as Answer)
  while (!next.done) {
    parts.onEffect?.(next.value)
    isCommitting ||= next.value.effect === 'write' && next.value.event === 'commit'
    const goesOn = isStopping || isCommitting
    const answer = await perform(next.value, goesOn)
    if (parts.stopped?.aborted && !goesOn) {
      isStopping = true
      // What a `finally` of the protocol still yields is performed like the rest.
      next = protocol.return(null as T)
    } else next = protocol.next(answer)
  }
  return isStopping ? null : next.value
}

function interpreterOf(parts: ProtocolParts) {
  const { store, canonicalId, clock = MACHINE_CLOCK } = parts
  const keys = projectKeys(canonicalId)
  return async (effect: Effect, goesOn: boolean): Promise<Answer> => {
    switch (effect.effect) {
      case 'read':
        return read(store, keys[effect.object])
      case 'write':
        await parts.beforeWrite?.(effect)
        return write(store, keys[effect.object], effect)
      case 'monotonic':
        return clock.monotonic()
      case 'wait':
        await clock.pause(effect.seconds, goesOn ? undefined : parts.stopped)
        return undefined
      case 'nonce':
        return randomBytes(16).toString('hex')
      case 'mirror_sha':
        return await mirrorSha(store, keys.mirrorSha)
      case 'audit':
        return await audit(parts, effect)
      default:
        return await push(parts, effect)
    }
  }
}

async function read(store: ProtocolParts['store'], key: string): Promise<ObjectRead> {
  try {
    const { object, storeTime } = await store.observe(key)
    const storeNow = storeTime.getTime() / 1000
    if (object === null) return { found: 'absent', storeNow }
    const { bytes, etag, modified } = object
    return {
      found: 'object',
      text: new TextDecoder().decode(bytes),
      etag,
      modified: modified.getTime() / 1000,
      storeNow,
    }
  } catch (error) {
    return { found: 'unknown', reason: reasonOf(error) }
  }
}

/** The port repeats by itself what the store asks to repeat; what it then leaves open stays open here. */
async function write(
  store: ProtocolParts['store'],
  key: string,
  { text, ifMatch }: Of<'write'>,
): Promise<WriteAnswer> {
  try {
    const { etag } = await store.replace(key, new TextEncoder().encode(text), ifMatch, 'application/json')
    return { answer: 'applied', etag }
  } catch (error) {
    return { answer: error instanceof ObjectConflict ? 'refused' : 'unknown' }
  }
}

async function mirrorSha(store: ProtocolParts['store'], key: string): Promise<Answers['mirror_sha']> {
  const found = await read(store, key)
  return found.found === 'object' ? digestOfLine(found.text) : null
}

async function audit(parts: ProtocolParts, { event, lease, reason }: Of<'audit'>): Promise<undefined> {
  const { store, canonicalId, actor } = parts
  const writer: AuditWriter = parts.audit ?? ((entry) => writeAuditObject(store, entry))
  try {
    await writer({ canonicalId, event, lease, reason, actor })
  } catch (error) {
    parts.warn(`the audit object of ${event} could not be written: ${reasonOf(error)}`)
  }
}

function push({ work }: ProtocolParts, effect: Of<'snapshot' | 'upload' | 'mirror'>): Promise<Answer> {
  if (!work) throw new Error(`nobody performs ${effect.effect} here`)
  return effect.effect === 'upload' ? work.upload(effect.seconds) : work[effect.effect]()
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
