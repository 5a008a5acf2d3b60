import { afterEach, expect, it } from 'vitest'
import { currentToasts, dismiss, type Tone, toast } from './toasts.ts'

const STALE = 'The content has changed.'
const texts = () => currentToasts().map(({ text }) => text)
const say = (text: string, tone: Tone = 'done') => toast({ tone, text })
const refuse = (n: number) =>
  toast({ tone: 'failed', text: STALE, link: { label: 'Open', href: `/proposals/${n}` } })

afterEach(() => {
  for (const { id } of currentToasts()) dismiss(id)
})

it('shows the same message once, and each refusal with a way of its own', () => {
  say('Copied')
  say('Copied')
  refuse(1)
  refuse(2)
  refuse(2)
  expect(currentToasts().map(({ text, link }) => link?.href ?? text)).toEqual([
    'Copied',
    '/proposals/1',
    '/proposals/2',
  ])
})

it('keeps what failed and lets the oldest of the others go', () => {
  say('Refused', 'failed')
  for (const text of ['one', 'two', 'three', 'four']) say(text)
  expect(texts()).toEqual(['Refused', 'two', 'three', 'four'])
})

it('shows the latest message whatever has failed, and the latest four failures', () => {
  for (const n of [1, 2, 3, 4]) refuse(n)
  say('Undone')
  expect(texts()).toEqual([STALE, STALE, STALE, STALE, 'Undone'])
  refuse(5)
  expect(currentToasts().flatMap(({ link }) => link?.href ?? [])).toEqual(
    [2, 3, 4, 5].map((n) => `/proposals/${n}`),
  )
})
