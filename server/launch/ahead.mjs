/**
 * Programs that are started before the ledger is ready, so that they load meanwhile. Each gets its environment by its input when that is known
 * (server/environment/awaited-environment.ts), so none of them knows a ledger that is refused.
 */
import { productPrograms } from './product.mjs'

/** Stands in for addresses that nobody may call. */
export const LATER = 'postgresql://bloom@127.0.0.1/bloom'
const NO_URLS = { owner: LATER, web: LATER, worker: LATER, control_plane: LATER }

/**
 * @param {import('./instance.mjs').Instance} instance
 * @param {{ env: import('../env.ts').Env, variables: NodeJS.ProcessEnv }} early what is known of the environment so far
 */
export function openAhead(instance, { env, variables }) {
  /** @type {PromiseWithResolvers<import('./program.mjs').ProgramPlan[]>} */
  const known = Promise.withResolvers()
  known.promise.catch(() => {})
  /** @type {Set<string>} */
  const started = new Set()
  return {
    /** @param {string} name @param {import('./programs.mjs').ProgramFiles} files */
    start(name, files) {
      const isOne = (/** @type {import('./program.mjs').ProgramPlan} */ plan) => plan.name === name
      const plan = productPrograms(env, variables, { urls: NO_URLS, files }).find(isOne)
      if (!plan) throw new Error(`no program ${name}`)
      const { DATABASE_URL: _, ...surroundings } = plan.env
      const later = known.promise.then((plans) => plans.find(isOne)?.env ?? {})
      instance.add({ ...plan, env: surroundings, later })
      started.add(name)
    },
    has: (/** @type {string} */ name) => started.has(name),
    /** Each that was started gets the environment of its plan. */
    handOver: known.resolve,
    /** The start has failed: what waits learns that nothing comes. */
    giveUp: () => known.reject(new Error('the start was given up')),
  }
}
