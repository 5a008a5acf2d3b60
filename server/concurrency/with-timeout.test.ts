import { expect, test } from 'vitest'
import { TimedOut, withTimeout } from './with-timeout.ts'

const never = () => new Promise<never>(() => {})

test('gives the value or the error of work that ends in time, and leaves its signal alone', async () => {
  let given: AbortSignal | undefined
  const value = await withTimeout({ ms: 60_000 }, async (signal) => {
    given = signal
    return 7
  })
  expect([value, given?.aborted]).toEqual([7, false])
  const wrong = new Error('wrong')
  await expect(withTimeout({ ms: 60_000 }, () => Promise.reject(wrong))).rejects.toBe(wrong)
})

test('leaves work behind that does not heed its signal', async () => {
  let given: AbortSignal | undefined
  const late = withTimeout({ ms: 1 }, (signal) => {
    given = signal
    return never()
  })
  await expect(late).rejects.toThrow(new TimedOut(1))
  expect(given?.aborted).toBe(true)
})

test('ends with the reason of an outer signal, and does not begin when that has aborted', async () => {
  const stopping = new AbortController()
  const reason = new Error('stopping')
  const work = withTimeout({ ms: 60_000, signal: stopping.signal }, never)
  stopping.abort(reason)
  await expect(work).rejects.toBe(reason)
  let begun = false
  const after = withTimeout({ ms: 60_000, signal: stopping.signal }, async () => {
    begun = true
  })
  await expect(after).rejects.toBe(reason)
  expect(begun).toBe(false)
})
