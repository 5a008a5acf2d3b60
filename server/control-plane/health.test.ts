import { expect, onTestFinished, test, vi } from 'vitest'
import type { Services } from '#server/services.ts'
import { healthLook } from './health.ts'

test('a database that hangs is asked once, however often the health is asked, and again when it answers', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const answer = Promise.withResolvers<{ rows: object[] }>()
  const query = vi.fn(() => answer.promise)
  const parts = { db: { query }, store: { head: async () => null } } as unknown as Services
  const health = healthLook()
  const look = async () => {
    const looked = health(parts)
    await vi.advanceTimersByTimeAsync(3_000)
    return (await looked).database
  }
  expect([await look(), await look(), query.mock.calls.length]).toEqual(['failing', 'failing', 1])
  answer.resolve({ rows: [{ projects: 0, agents: 0 }] })
  await vi.advanceTimersByTimeAsync(0)
  expect([await look(), query.mock.calls.length]).toEqual(['ok', 2])
})
