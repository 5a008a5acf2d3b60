import compile from 'icu-minify/compile'

/**
 * Messages parsed once on the server, so that the browser carries no parser of messages: with the alias of
 * `next.config.mjs` the framework's build formats these trees and nothing else.
 */
export type Compiled = Record<string, unknown>

const known = new WeakMap<object, Compiled>()

/** The same messages with every text parsed; the same object gives the same answer. Throws on a text that is not ICU. */
export function compileMessages(messages: object): Compiled {
  let compiled = known.get(messages)
  if (!compiled) {
    compiled = Object.fromEntries(
      Object.entries(messages).map(([key, value]) => [
        key,
        typeof value === 'string' ? plain(compile(value)) : compileMessages(value as object),
      ]),
    )
    known.set(messages, compiled)
  }
  return compiled
}

/** The parser's objects have no prototype, and those do not cross to the browser. */
const plain = (message: unknown): unknown => JSON.parse(JSON.stringify(message))
