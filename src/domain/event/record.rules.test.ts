import { describe, expect, it } from 'vitest'
import { LEDGER_MACHINES } from '../machines.ts'
import { PROPOSAL_RECORD } from '../proposal/proposal.record.ts'
import { PROPOSAL_COMMANDS } from '../proposal/proposal-commands.rules.ts'
import { fold, type PastEvent, RECORDS, recordOf } from './record.rules.ts'

const event = (name: string, to: string | null, record: PastEvent['record'], at = 't'): PastEvent => ({
  event: name,
  to,
  at,
  record,
})

describe('the tables', () => {
  it.each(Object.entries(RECORDS))('%s: every event has its row', (machine, table) => {
    const { events } = LEDGER_MACHINES[machine as keyof typeof LEDGER_MACHINES]
    for (const name of Object.keys(events)) expect(table, name).toHaveProperty(name)
  })

  it('every command of a proposal has its row', () => {
    for (const command of PROPOSAL_COMMANDS) expect(PROPOSAL_RECORD).toHaveProperty(command)
  })
})

describe('the fold', () => {
  const table = { make: ['a'], change: ['a', 'b'], flag: ['c'] }

  it('takes of each event the columns that its row names, in their order', () => {
    const events = [
      event('make', 'NEW', { a: 1, c: 'not its business' }),
      event('change', 'OLD', { a: 2, b: null }),
      event('flag', null, { c: 3, a: 'not its business' }),
      event('unknown', null, { a: 'not its business' }),
    ]
    expect(fold({ a: 0, b: 0, kept: true }, events, table)).toEqual({
      a: 2,
      b: null,
      c: 3,
      kept: true,
      status: 'OLD',
    })
  })

  it('knows state and time of an event from before there were records', () => {
    const events = [event('change', 'OLD', null, '2026-01-01T00:00:00.000Z')]
    expect(fold({ a: 0 }, events, table)).toEqual({
      a: 0,
      status: 'OLD',
      updated_at: '2026-01-01T00:00:00.000Z',
    })
  })

  it('leaves alone what the record of an event does not have', () => {
    expect(fold({ a: 0, b: 0 }, [event('change', null, { b: 1 })], table)).toEqual({ a: 0, b: 1 })
  })

  it('records exactly the columns of the row', () => {
    expect(recordOf(['a', 'b'], { a: 1, c: 2 })).toEqual({ a: 1, b: null })
  })
})
