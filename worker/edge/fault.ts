export const ERROR_LABEL = 'ERROR: '

type FaultOptions = { exitCode?: number; label?: '' | typeof ERROR_LABEL; cause?: unknown }

/**
 * Why a command of the node ended early: one line for the person at the terminal, which names the next step and holds no secret.
 * `exitCode` is what the process ends with [edge#exit-codes]. `label` stands before the message; it is empty where
 * scripts match the message's own first words.
 */
export class EdgeFault extends Error {
  readonly exitCode: number
  readonly label: string
  constructor(message: string, { exitCode = 1, label = ERROR_LABEL, cause }: FaultOptions = {}) {
    super(message)
    this.name = 'EdgeFault'
    this.label = label
    this.exitCode = exitCode
    if (cause !== undefined) this.cause = cause
  }
}

/** The first line of what was thrown, for a message of one line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
