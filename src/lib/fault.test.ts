import { describe, expect, it } from 'vitest'
import { isSignedOut, toFault } from './fault.ts'

const envelope = {
  error: {
    code: 'INVALID_TRANSITION',
    message: 'It is COMPLETE.',
    details: { from: 'COMPLETE' },
    retryable: false,
  },
  correlation_id: 'c-1',
}

describe('any thrown value as a fault', () => {
  it('reads the envelope of a tRPC error', () => {
    const error = Object.assign(new Error('x'), { data: { envelope } })
    expect(toFault(error)).toMatchObject({
      code: 'INVALID_TRANSITION',
      correlationId: 'c-1',
      message: 'It is COMPLETE.',
      retryable: false,
    })
  })
  it('reads the body of a REST answer', () => {
    expect(toFault(envelope)).toMatchObject({ code: 'INVALID_TRANSITION', correlationId: 'c-1' })
  })
  it('hands the fields of a refused form over', () => {
    const details = [{ field: 'reason', message: 'too short' }, { nonsense: true }, null]
    const fault = toFault({
      data: { envelope: { error: { code: 'VALIDATION_FAILED', message: '', details }, correlation_id: 'c' } },
    })
    expect(fault.fields).toEqual([{ field: 'reason', message: 'too short' }])
  })
  it('tells no answer from an unexpected one', () => {
    expect(toFault(new TypeError('Failed to fetch'))).toMatchObject({ code: 'NETWORK', retryable: true })
    expect(toFault(new Error('boom'))).toMatchObject({ code: 'UNKNOWN', retryable: false })
  })
  it.each([null, undefined, 7, 'text', {}, { data: null }, { data: { envelope: 3 } }, { error: {} }])(
    'never throws: %j',
    (thrown) => {
      expect(toFault(thrown).code).toBe('UNKNOWN')
    },
  )
  it('knows an ended session', () => {
    expect(isSignedOut(toFault({ error: { code: 'TOKEN_EXPIRED', message: '' }, correlation_id: 'c' }))).toBe(
      true,
    )
    expect(isSignedOut(toFault(envelope))).toBe(false)
  })
})
