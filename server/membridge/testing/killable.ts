import type { Db } from '#server/ledger/database.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { Parts } from './leadership-room.ts'

/** What a process asks of others: each call is two steps, being made and being answered. */
const CALLS = ['query', 'transaction', 'observe', 'replace', 'create', 'get', 'head', 'list'] as const

/**
 * These services for a process that is killed before step `at`: from then on it is never answered and asks nothing any more. In-process, so
 * that every step can be tried.
 */
export function killable(parts: Parts, at: number) {
  let step = 0
  let killed: string | null = null
  const dead = Promise.withResolvers<false>()
  const passes = (what: string): boolean => {
    if (killed === null && ++step >= at) {
      killed = what
      dead.resolve(false)
    }
    return killed === null
  }
  const never = new Promise<never>(() => {})
  const wrap = <T extends Db | ObjectStore>(target: T): T =>
    new Proxy(target, {
      get: (own, name) => {
        const value = Reflect.get(own, name) as unknown
        if (typeof value !== 'function') return value
        const call = value.bind(own) as (...args: unknown[]) => unknown
        if (!CALLS.includes(name as never)) return call
        return async (...args: unknown[]) => {
          if (!passes(`before ${String(name)}`)) return never
          const answer = await call(...args)
          return passes(`after ${String(name)}`) ? answer : never
        }
      },
    })
  const own: Parts = { ...parts, db: wrap(parts.db), store: wrap(parts.store) }
  return {
    /** True when the work ended before it was killed. */
    run: (work: (parts: Parts) => Promise<unknown>): Promise<boolean> =>
      Promise.race([work(own).then(() => true), dead.promise]),
    /** Where it was killed. */
    killedAt: () => `${step}: ${killed}`,
  }
}
