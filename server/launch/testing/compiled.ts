const { NODE_COMPILE_CACHE } = process.env

/**
 * Where Node keeps what it has compiled, for programs that tests start with an environment of their own: with it a program starts
 * in half the time, and does nothing else.
 */
export const COMPILED: Record<string, string> = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
