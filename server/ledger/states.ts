import { raw, type Sql } from 'sql-template-tag'
import type { Machine } from '#domain/kernel/machine.ts'

/**
 * States of a machine as SQL: `status IN ${states(jobMachine, 'FAILED', 'DEAD')}`. They stand in the text as constants, so the planner finds
 * partial indexes; only names that the machine knows compile.
 */
export const states = <S extends string>(_machine: Machine<S>, ...names: readonly [S, ...S[]]): Sql =>
  raw(`(${names.map(quoted).join(', ')})`)

/** One state: `status = ${state(jobMachine, 'PENDING')}`. */
export const state = <S extends string>(_machine: Machine<S>, name: S): Sql => raw(quoted(name))

// Machines are constants of the domain, never input; the check keeps it that way.
function quoted(name: string): string {
  if (!/^[A-Za-z_]+$/.test(name)) throw new Error(`not a state: ${name}`)
  return `'${name}'`
}
