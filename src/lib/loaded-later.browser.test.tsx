import { expect, it, onTestFinished, vi } from 'vitest'
import { render } from 'vitest-browser-react'
import { loadedLater } from './loaded-later.tsx'

it('is asked for again until it can be loaded, and then shown', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const load = vi.fn(async () => () => <output>Here</output>)
  load.mockRejectedValueOnce(new Error('no network')).mockRejectedValueOnce(new Error('no network'))
  const Later = loadedLater(load)
  const screen = await render(<Later />)
  await vi.advanceTimersToNextTimerAsync()
  expect(screen.getByRole('status').query()).toBeNull()
  await vi.advanceTimersToNextTimerAsync()
  vi.useRealTimers()
  await expect.element(screen.getByText('Here')).toBeVisible()
  expect(load).toHaveBeenCalledTimes(3)
})

it('asks no more once the page has left it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const load = vi.fn().mockRejectedValue(new Error('no network'))
  const Later = loadedLater(load)
  const screen = await render(<Later />)
  await vi.waitUntil(() => vi.getTimerCount() > 0)
  await screen.unmount()
  expect(vi.getTimerCount()).toBe(0)
})
