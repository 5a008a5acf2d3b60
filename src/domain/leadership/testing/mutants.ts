import { textOf } from '../json-fields.ts'
import type { ObjectRead } from '../protocol-effects.ts'
import type { Sabotage } from './process.ts'
import type { Violation } from './referee.ts'
import {
  believedForEver,
  foundIn,
  isWrite,
  misread,
  miswritten,
  neverWritten,
  readsLease,
  send,
  withoutCondition,
} from './sabotage.ts'

/**
 * Mistakes that a program of this kind makes, each put between the protocols and the world, and the violation by which the simulation has
 * to name it. Nodes of today and public programs like ours made most of them.
 */
export type Mutant = { name: string; finds: Violation; sabotage: () => Sabotage }

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'lease without condition',
    finds: 'two holders of one term',
    sabotage: withoutCondition('lease'),
  },
  {
    name: 'renewal in the same epoch',
    finds: 'epoch not raised',
    sabotage: miswritten('renew', ({ epoch }) => ({ epoch: epoch - 1 })),
  },
  {
    name: 'term raised by a renewal',
    finds: 'term and holder changed apart',
    sabotage: miswritten('renew', ({ term }) => ({ term: term + 1 })),
  },
  {
    name: 'selection without condition',
    finds: 'two promotions of one epoch',
    sabotage: withoutCondition('lease', 'select'),
  },
  {
    name: 'epoch as fence',
    finds: 'stale without a change of holder',
    sabotage: misread('lease', ({ epoch }) => ({ term: epoch })),
  },
  {
    name: 'absent on error',
    finds: 'unknown taken for absent',
    sabotage: () => ({
      answer: (effect, answer) => {
        const isFailed = effect.effect === 'read' && (answer as ObjectRead).found === 'unknown'
        return isFailed ? { found: 'absent', storeNow: 0 } : answer
      },
    }),
  },
  { name: 'no fence write', finds: 'stale push accepted', sabotage: neverWritten('pointer', 'fence') },
  {
    name: 'role checked before the snapshot only',
    finds: 'pushed on a term that ended before the upload',
    sabotage: believedForEver(readsLease),
  },
  {
    name: 'lock by host name',
    finds: 'lock taken from its owner',
    sabotage: () => ({
      answer: (effect, answer, process) => {
        const read = foundIn(effect, answer, 'lock')
        if (read === null) return answer
        const lock = JSON.parse(read.text)
        if (lock.hostname !== process.hostname || lock.released) return answer
        return { ...read, text: textOf({ ...lock, released: true }) }
      },
    }),
  },
  {
    name: 'expiry by own clock',
    finds: 'taken over before its end',
    sabotage: () => ({
      answer: (effect, answer, process) =>
        effect.effect === 'read' && (answer as ObjectRead).found !== 'unknown'
          ? ({ ...(answer as ObjectRead), storeNow: process.wallClock() } as ObjectRead)
          : answer,
    }),
  },
  { name: 'lock never released', finds: 'lock left behind', sabotage: neverWritten('lock', 'release') },
  {
    name: 'mirror not looked at',
    finds: 'mirror left behind',
    sabotage: () => ({
      answer: (effect, answer, { world: { store } }) =>
        effect.effect === 'mirror_sha' ? JSON.parse(store.get('pointer')?.text ?? '{}').sha256 : answer,
    }),
  },
  {
    name: 'lock without condition',
    finds: 'lock taken from its owner',
    sabotage: withoutCondition('lock'),
  },
  {
    name: 'lock not looked at again',
    finds: 'pushed without its lock',
    sabotage: () => ({
      effect: (effect, process) => {
        if (effect.effect === 'write' && effect.object === 'lock') process.scratch.set('lock', effect.text)
        return send(effect)
      },
      answer: (effect, answer, process) => {
        const [read, text] = [foundIn(effect, answer, 'lock'), process.scratch.get('lock')]
        return read !== null && typeof text === 'string' ? { ...read, text } : answer
      },
    }),
  },
  {
    name: 'observations not compared',
    finds: 'more observations overwritten',
    sabotage: misread('pointer', () => ({ observations: 0 })),
  },
  {
    name: 'pointer without condition',
    finds: 'stale push accepted',
    sabotage: withoutCondition('pointer', 'commit'),
  },
  {
    name: 'fence without condition',
    finds: 'term regression',
    sabotage: withoutCondition('pointer', 'fence'),
  },
  {
    name: 'term kept by a new holder',
    finds: 'two holders of one term',
    sabotage: () => ({
      effect: (effect) => {
        if (effect.effect !== 'write' || effect.object !== 'lease') return send(effect)
        if (effect.event !== 'take_over' && effect.event !== 'select') return send(effect)
        const lease = JSON.parse(effect.text)
        return send({ ...effect, text: textOf({ ...lease, term: Math.max(1, lease.term - 1) }) })
      },
    }),
  },
  {
    name: 'clock that stands still in sleep',
    finds: 'acted outside its trust window',
    sabotage: believedForEver((effect) => effect.effect === 'monotonic'),
  },
  {
    name: 'lost answer taken for success',
    finds: 'reported done but not applied',
    sabotage: () => ({
      answer: (effect, answer) =>
        effect.effect === 'write' && (answer as { answer: string }).answer === 'unknown'
          ? { answer: 'applied', etag: effect.text }
          : answer,
    }),
  },
  {
    name: 'lost answer taken for failure',
    finds: 'reported failed but applied',
    sabotage: () => ({
      effect: (effect, process) => {
        const isReadBack = effect.effect === 'read' && process.scratch.get('lost') === effect.object
        process.scratch.delete('lost')
        if (!isReadBack) return send(effect)
        return { skip: { found: 'object', text: '{}', etag: 'of another', modified: 0, storeNow: 0 } }
      },
      answer: (effect, answer, process) => {
        const isLost = isWrite(effect, 'lease') || isWrite(effect, 'pointer', 'commit')
        if (isLost && effect.effect === 'write' && (answer as { answer: string }).answer === 'unknown')
          process.scratch.set('lost', effect.object)
        return answer
      },
    }),
  },
]
