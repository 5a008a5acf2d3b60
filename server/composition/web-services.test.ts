import { expect, test, vi } from 'vitest'
import { composedOnce } from './web-services.ts'

test('services that cannot be composed are logged with their cause, once a minute, and tried again', async () => {
  const log = { error: vi.fn() }
  const cause = new Error('no garden')
  let fails = 3
  const compose = vi.fn(async () => {
    if (fails-- > 0) throw cause
    return 'services'
  })
  const get = composedOnce(compose, log)
  await expect(Promise.all([get(), get()])).rejects.toThrow('no garden')
  expect(compose).toHaveBeenCalledTimes(1)
  expect(log.error).toHaveBeenCalledWith({ err: cause }, expect.stringContaining('cannot compose'))
  await expect(get()).rejects.toThrow('no garden')
  await expect(get()).rejects.toThrow('no garden')
  expect(log.error).toHaveBeenCalledTimes(1)
  expect([await get(), await get()]).toEqual(['services', 'services'])
  expect(compose).toHaveBeenCalledTimes(4)
})
