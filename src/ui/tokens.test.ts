import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { THEME_COLORS } from '#lib/theme-colors.ts'

/** Reads the pairs from the stylesheet itself, so that a token cannot change without passing here. */
const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')
const tokens = new Map(
  [...css.matchAll(/--color-([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name as string, { light: light as string, dark: dark as string }] as const,
  ),
)

const channel = (hex: string, at: number) => {
  const v = Number.parseInt(hex.slice(at, at + 2), 16) / 255
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4
}
const luminance = (hex: string) =>
  0.2126 * channel(hex, 1) + 0.7152 * channel(hex, 3) + 0.0722 * channel(hex, 5)
function contrast(a: string, b: string): number {
  const [hi, lo] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (hi + 0.05) / (lo + 0.05)
}

const grounds = ['canvas', 'surface', 'sunken', 'hover', 'selected']
const tones = ['waiting', 'working', 'done', 'failed', 'dead', 'held']

/** [text, ground, least ratio]: 4.5 for text, 3 for the edge of a control. */
const pairs: [string, string, number][] = [
  ...['ink', 'ink-2', 'ink-3'].flatMap((t) => grounds.map((g): [string, string, number] => [t, g, 4.5])),
  ...grounds.map((g): [string, string, number] => ['accent', g, 4.5]),
  ...tones.flatMap((t) =>
    [t, `${t}-soft`].map((_, i): [string, string, number] => [t, i ? `${t}-soft` : 'canvas', 4.5]),
  ),
  ...tones.flatMap((t) => ['hover', 'selected', 'sunken'].map((g): [string, string, number] => [t, g, 4.5])),
  ...['insert', 'insert-word', 'delete', 'delete-word'].map((g): [string, string, number] => ['ink', g, 4.5]),
  ['on-accent', 'accent', 4.5],
  ['on-accent', 'accent-strong', 4.5],
  ['accent', 'accent-soft', 4.5],
  ['on-failed', 'failed', 4.5],
  ...tones.flatMap((t) =>
    ['canvas', 'sunken', 'surface'].map((g): [string, string, number] => [`${t}-fill`, g, 3]),
  ),
  ['line-strong', 'canvas', 3],
  ['line-strong', 'surface', 3],
  ['focus', 'canvas', 3],
  ['focus', 'surface', 3],
]

describe('tokens', () => {
  it('finds every colour of the stylesheet as a pair', () => {
    const names = [...css.matchAll(/--color-([a-z0-9-]+): (?!initial|transparent|currentcolor)/g)].map(
      (m) => m[1],
    )
    expect([...tokens.keys()].sort()).toEqual([...new Set(names)].sort())
  })
  it('paints the bars of the browser like the head of every page', () => {
    expect(THEME_COLORS).toEqual(tokens.get('sunken'))
  })
  it.each(pairs)('%s on %s is at least %d:1 by day and by night', (text, ground, least) => {
    const [t, g] = [tokens.get(text)!, tokens.get(ground)!]
    expect(contrast(t.light, g.light)).toBeGreaterThanOrEqual(least)
    expect(contrast(t.dark, g.dark)).toBeGreaterThanOrEqual(least)
  })
})
