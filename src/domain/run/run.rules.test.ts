import { describe, expect, test } from 'vitest'
import { jobMachine } from '../job/job.machine.ts'
import { runMachine } from './run.machine.ts'
import { isFinal, JOB_ENDED, questionOf, RUNNING, WAITING_STATES } from './run.rules.ts'

describe('states of a run', () => {
  test('are waiting, running or final, each exactly one of them', () => {
    const sorted = [...WAITING_STATES, RUNNING, ...runMachine.states.filter(isFinal)].sort()
    expect(sorted).toEqual([...runMachine.states].sort())
  })

  test('a run waits for a job until it is complete or has failed, also by cancel', () => {
    const ends = ['commit', 'exhausted', 'fatal', 'refuse', 'operator_fail', 'cancel', 'bury'] as const
    for (const event of ends) expect(JOB_ENDED).toContain(jobMachine.events[event].to)
    for (const event of ['submit', 'admit', 'nlm_busy', 'requeue'] as const) {
      expect(JOB_ENDED).not.toContain(jobMachine.events[event].to)
    }
  })
})

test.each([
  [{ question: ' Why? ', topic: 'x' }, 'Why?'],
  [{ question: '', topic: 'Leeks' }, 'Leeks'],
  [{ question: 3 }, ''],
  [{}, ''],
])('the question of %j', (params, question) => {
  expect(questionOf(params)).toBe(question)
})
