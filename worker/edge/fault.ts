/**
 * Why a command of the node ended early: one line for the person at the terminal, which names the next step and holds no secret.
 * `exitCode` is what the process ends with [edge#exit-codes].
 */
export class EdgeFault extends Error {
  readonly exitCode: number
  constructor(message: string, { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(message)
    this.name = 'EdgeFault'
    this.exitCode = exitCode
    if (cause !== undefined) this.cause = cause
  }
}

/** The first line of what was thrown, for a message of one line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
