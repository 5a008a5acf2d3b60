import { describe, expect, it } from 'vitest'
import { can, decide, edges } from '../kernel/machine.ts'
import {
  NLM_OVERRUN_CODE,
  NLM_PHASE_LIMIT_SECONDS,
  type NlmWorkEvent,
  type NlmWorkState,
  nlmWorkMachine,
} from './nlm-work.machine.ts'

describe('the work of the NotebookLM Backend', () => {
  it('walks from ACCEPTED to DONE in the order of the contract', () => {
    const way: NlmWorkEvent[] = ['fetch_context', 'build_prompt', 'ask', 'structure', 'deliver', 'finish']
    const states: NlmWorkState[] = [nlmWorkMachine.events.accept.to]
    for (const event of way) {
      const decision = decide(nlmWorkMachine, states.at(-1) ?? 'ERROR', event)
      if (decision.ok) states.push(decision.to)
    }
    expect(states).toEqual([
      'ACCEPTED',
      'FETCHING_CONTEXT',
      'BUILDING_PROMPT',
      'NLM_QUERY',
      'STRUCTURING',
      'CALLBACK',
      'DONE',
    ])
  })

  it('allows exactly the pairs of its table', () => {
    const table = new Set(edges(nlmWorkMachine).map((e) => `${e.from} ${e.event} ${e.to}`))
    for (const from of nlmWorkMachine.states) {
      for (const event of Object.keys(nlmWorkMachine.events) as NlmWorkEvent[]) {
        const decision = decide(nlmWorkMachine, from, event)
        expect(decision.ok).toBe(table.has(`${from} ${event} ${nlmWorkMachine.events[event].to}`))
      }
    }
  })

  it('can fail anywhere before its end, and be cancelled until it is handed over', () => {
    const canIn = (event: NlmWorkEvent) => nlmWorkMachine.states.filter((s) => can(nlmWorkMachine, s, event))
    expect(canIn('fail')).toEqual(nlmWorkMachine.states.filter((s) => s !== 'DONE' && s !== 'ERROR'))
    expect(canIn('cancel')).toEqual(canIn('fail').filter((s) => s !== 'CALLBACK'))
  })

  it('has a limit and an overrun code for the same phases', () => {
    expect(Object.keys(NLM_OVERRUN_CODE)).toEqual(Object.keys(NLM_PHASE_LIMIT_SECONDS))
  })
})
