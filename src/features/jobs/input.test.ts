import { expect, it } from 'vitest'
import { jobListInput } from '#contracts/job.contract.ts'
import { jobsInput } from './input.ts'

const RUN = 'run_2026-03-02_abcdef'

it.each([
  { address: {}, filter: {} },
  { address: { status: 'DEAD', type: 'RESEARCH' }, filter: { status: ['DEAD'], type: 'RESEARCH' } },
  { address: { status: 'FAILED' }, filter: { status: ['FAILED'], cancelled: 'no' } },
  { address: { status: 'CANCELLED' }, filter: { status: ['FAILED'], failure: 'cancelled' } },
  {
    address: { code: 'NLM_TIMEOUT', phase: 'NOTEBOOKLM_CALL' },
    filter: { code: 'NLM_TIMEOUT', phase: 'NOTEBOOKLM_CALL' },
  },
  { address: { run: RUN, agent: 'scout', q: 'bees' }, filter: { run: RUN, agent: 'scout', q: 'bees' } },
  {
    address: { from: '2026-03-01', to: '2026-03-01' },
    filter: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' },
  },
  {
    address: {
      status: 'BROKEN',
      type: 'POEM',
      run: 'x',
      agent: 'A b',
      code: 'lower',
      phase: 'MOON',
      from: '2026-13-01',
      q: '',
    },
    filter: {},
  },
])('the address $address asks for $filter', ({ address, filter }) => {
  const input = jobsInput(address)
  expect(input).toEqual(filter)
  expect(jobListInput.safeParse(input).success).toBe(true)
})
