import { expect, it } from 'vitest'
import { renderHook } from 'vitest-browser-react'
import { useGoing } from './use-going.ts'

const walk = () =>
  renderHook((open?: string) => useGoing(open ?? null), {
    initialProps: 'a',
  })

it('goes on from what was asked for last, while the address is late', async () => {
  const { result, rerender } = await walk()
  for (const id of ['b', 'c', 'd']) result.current.to(id)
  expect(result.current.from()).toBe('d')
  await rerender('b')
  expect(result.current.from()).toBe('d')
  await rerender('d')
  expect(result.current.from()).toBe('d')
})

it('goes on from an address that somebody else chose', async () => {
  const { result, rerender } = await walk()
  result.current.to('b')
  await rerender('z')
  expect(result.current.from()).toBe('z')
  await rerender()
  expect(result.current.from()).toBeNull()
})
