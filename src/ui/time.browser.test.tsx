import { expect, it } from 'vitest'
import { media } from '#lib/testing/media.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { RelativeTime } from './time.tsx'

it('says its very moment on paper, by its style alone', async () => {
  const screen = await renderInConsole(<RelativeTime at="2026-03-02T09:00:00.000Z" />)
  const time = screen.getByRole('time')
  await expect.element(time).toBeVisible()
  await media('print')
  try {
    expect(getComputedStyle(time.element()).fontSize).toBe('0px')
    const said = getComputedStyle(time.element(), '::after').content
    expect(said).toMatch(/^"Mar 2, 2026, 9:00:00\sAM"$/)
  } finally {
    await media('')
  }
})
