import { text } from 'node:stream/consumers'

/**
 * The launcher may start this process before the ledger is ready, so that it loads meanwhile. Its environment comes by standard input then, as one JSON object,
 * and takes the place of what it was started with; nothing of the product may read it before.
 */
const ENVIRONMENT = Symbol.for('garden-bloom.environment')
type Holder = { [ENVIRONMENT]?: Promise<boolean> | null }

/** Settles when the environment is there: `false` when the input ended without one, since the start was given up. Null when there is nothing to wait for. */
export function awaitedEnvironment(): Promise<boolean> | null {
  const holder = globalThis as Holder
  holder[ENVIRONMENT] ??= process.env.BLOOM_ENV_BY_INPUT ? read() : null
  return holder[ENVIRONMENT]
}

async function read(): Promise<boolean> {
  const given = await text(process.stdin)
  if (!given) return false
  Object.assign(process.env, JSON.parse(given) as Record<string, string>)
  delete process.env.BLOOM_ENV_BY_INPUT
  return true
}
