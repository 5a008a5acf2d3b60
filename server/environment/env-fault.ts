import type { z } from 'zod'

/** The environment cannot be used; `faults` has one line each, free of values. */
export class EnvFault extends Error {
  readonly faults: readonly string[]
  constructor(faults: string[]) {
    super(`The environment is not usable:\n${faults.map((line) => `  ${line}`).join('\n')}`)
    this.name = 'EnvFault'
    this.faults = faults
  }
}

/** One line for each issue: the variable and the rule it breaks. */
export const linesOf = (error: z.ZodError): string[] =>
  error.issues.map(({ path: [variable], message }) => `${String(variable)}: ${message}`)

/** The variables that were given; an empty one was not. */
export const givenOf = (source: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(source).filter((entry): entry is [string, string] => Boolean(entry[1])))
