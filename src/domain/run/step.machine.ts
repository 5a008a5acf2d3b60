import { defineMachine, type StateOf } from '../kernel/machine.ts'

/** The machine of one step of a run: a checkpoint is written once, after success or after the final failure. */
export const stepMachine = defineMachine({
  name: 'step',
  states: ['running', 'completed', 'failed'],
  final: ['completed', 'failed'],
  events: {
    begin: { from: null, to: 'running' },
    retry: { from: ['running'], to: 'running' },
    checkpoint: { from: ['running'], to: 'completed' },
    give_up: { from: ['running'], to: 'failed' },
  },
})

export type StepState = StateOf<typeof stepMachine>

/** The four steps, their object names and limits in seconds ([runs#step-limits-and-retries]). */
export const STEPS = [
  { n: 1, name: 'load-context', object: 'steps/01-load-context.json', limit: 30 },
  { n: 2, name: 'execute-agent', object: 'steps/02-execute-agent.json', limit: 120 },
  { n: 3, name: 'persist-results', object: 'steps/03-persist-results.json', limit: 60 },
  { n: 4, name: 'finalize', object: 'steps/04-finalize.json', limit: 30 },
] as const

/** The seven phases of the Execution Pipeline as the console draws them. */
export const PHASES = [
  'trigger',
  'enqueue',
  'load-context',
  'execute-agent',
  'persist-results',
  'finalize',
  'notify',
] as const
export type Phase = (typeof PHASES)[number]

export const RUN_LIMIT_SECONDS = 600
export const RUN_RETRY_BUDGET = 10
export const FAILURES_BEFORE_ERROR = 3
