import { expect, test } from 'vitest'
import { liveTail } from './live-tail.ts'

const SECRET = 'canary-4711-canary'
const open = () => liveTail((text) => text.replaceAll(SECRET, '****'))
/** What each beat shows of what was said before it. */
const beats = (...said: string[]) => {
  const tail = open()
  return said.map((text) => {
    tail.say(text)
    return tail.take()
  })
}

test('whole lines are shown at once, and once', () => {
  expect(beats('one\ntwo\n', '', 'three\n')).toEqual(['one\ntwo\n', '', 'three\n'])
})

test('a line waits for its end', () => {
  expect(beats('one\ntw', 'o', '\nthree\n')).toEqual(['one\n', '', 'two\nthree\n'])
  expect(beats('10 %\r20 %', '\r30 %\r')).toEqual(['10 %\r', '20 %\r30 %\r'])
})

test('or for a beat in which nothing more of it comes', () => {
  expect(beats('> ', '', '', 'yes\n')).toEqual(['', '> ', '', 'yes\n'])
})

test('a secret between two beats is masked whole, wherever it is cut', () => {
  for (let cut = 1; cut < SECRET.length; cut++)
    expect(beats(`key ${SECRET.slice(0, cut)}`, `${SECRET.slice(cut)}\n`)).toEqual(['', 'key ****\n'])
})

test('a line without an end is shown but for its last part', () => {
  const [first = '', second = '', third = ''] = beats('x'.repeat(2_000), SECRET.slice(0, 9), SECRET.slice(9))
  expect(first).toBe('x'.repeat(2_000 - 512))
  expect([second, third]).toEqual(['', ''])
  const long = open()
  long.say('x'.repeat(2_000) + SECRET.slice(0, 9))
  const before = long.take()
  long.say(`${SECRET.slice(9)}\n`)
  expect(before + long.take()).toBe(`${'x'.repeat(2_000)}****\n`)
})

test('no more than 4 KiB in whole characters, without NUL', () => {
  const [shown = ''] = beats(`${'ї'.repeat(5_000)}\0\n`)
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4_096)
  expect(shown).toMatch(/^ї+\n$/)
})
