import { existsSync, readdirSync } from 'node:fs'
import { createTranslator } from 'use-intl/core'
import { describe, expect, it } from 'vitest'
import { compileMessages } from './compile.ts'

type Both = { en: Record<string, unknown>; uk: Record<string, unknown> }

const features = new URL('../../features/', import.meta.url)
const rooms = readdirSync(features).filter((room) => existsSync(new URL(`${room}/messages.ts`, features)))
const sources: [string, Both][] = await Promise.all(
  ['shared', ...rooms].map(async (room) => {
    const at =
      room === 'shared' ? new URL('./messages.ts', import.meta.url) : new URL(`${room}/messages.ts`, features)
    return [room, ((await import(at.href)) as { messages: Both }).messages] as [string, Both]
  }),
)

/** Every text with its path. */
function texts(messages: Record<string, unknown>, path = ''): [string, string][] {
  return Object.entries(messages).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[path + key, value]]
      : texts(value as Record<string, unknown>, `${path}${key}.`),
  )
}

/** The names between braces, whatever their form: `{count, plural, …}` is `count`. */
const names = (text: string) =>
  [...new Set([...text.matchAll(/\{\s*([a-zA-Z_]\w*)\s*(?=[,}])/g)].map((m) => m[1] as string))].sort()

/** The forms of each plural, in order. */
const plurals = (text: string) =>
  text
    .split(/,\s*plural\s*,/)
    .slice(1)
    .map((rest) => [...rest.matchAll(/(zero|one|two|few|many|other|=\d+)\s*\{/g)].map((m) => m[1] as string))

/** The parts of a compiled message that `icu-minify/compile` writes as numbers: `#`, and the two that branch. */
const POUND = 0
const SELECT = 1
const PLURAL = 2

type Branches = Record<string, unknown>
const branchesIn = (node: unknown[]): Branches | null =>
  node[1] === PLURAL || node[1] === SELECT ? (node[2] as Branches) : null

/** The branches of each plural of a compiled message, also of one inside of another. */
function pluralsOf(node: unknown): Branches[] {
  if (!Array.isArray(node)) return []
  const branches = branchesIn(node)
  if (!branches) return node.flatMap(pluralsOf)
  const inner = Object.values(branches).flatMap(pluralsOf)
  return node[1] === PLURAL ? [branches, ...inner] : inner
}

/** Whether a branch says its number; one inside of another has a number of its own. */
const saysNumber = (node: unknown): boolean =>
  node === POUND || (Array.isArray(node) && !branchesIn(node) && node.some(saysNumber))

describe.each(sources)('the messages of %s', (_room, { en, uk }) => {
  it('have the same keys in both languages', () => {
    expect(
      texts(uk)
        .map(([key]) => key)
        .sort(),
    ).toEqual(
      texts(en)
        .map(([key]) => key)
        .sort(),
    )
  })
  it('are all ICU that parses', () => {
    for (const [key, text] of [...texts(en), ...texts(uk)])
      expect(() => compileMessages({ [key]: text }), key).not.toThrow()
  })
  it('say something', () => {
    for (const [key, text] of [...texts(en), ...texts(uk)]) expect(text.trim(), key).not.toBe('')
  })
  it('say something of nothing as well: what formats to an empty text is shown as its raw key', () => {
    for (const locale of ['en', 'uk'] as const) {
      const messages = { en, uk }[locale]
      const counted = texts(messages).filter(([, text]) => /=0\s*\{\s*\}/.test(text))
      for (const [key, text] of counted) {
        const none = Object.fromEntries(names(text).map((name) => [name, 0]))
        const t = createTranslator({
          locale,
          messages: { text } as { text: string },
          onError: () => undefined,
        })
        expect(t('text', none as never).trim(), key).not.toMatch(/^(text)?$/)
      }
    }
  })
  it('ask for the same values in both languages', () => {
    const other = new Map(texts(uk))
    for (const [key, text] of texts(en)) expect(names(other.get(key) ?? ''), key).toEqual(names(text))
  })
  it('have every plural form of their language', () => {
    for (const [key, text] of texts(en))
      for (const forms of plurals(text)) expect(forms, key).toEqual(expect.arrayContaining(['one', 'other']))
    for (const [key, text] of texts(uk)) {
      for (const forms of plurals(text))
        expect(forms, key).toEqual(expect.arrayContaining(['one', 'few', 'many', 'other']))
    }
  })
  it('say the number in Ukrainian of 21, too, where they say it of 2: `one` is not 1 alone, which is `=1`', () => {
    const silent = texts(uk).filter(([, text]) =>
      pluralsOf(compileMessages({ text }).text).some(
        ({ one, few, many, other }) => [few, many, other].some(saysNumber) && !saysNumber(one),
      ),
    )
    expect(silent.map(([key]) => key)).toEqual([])
  })
  it('have no key with a dot, which would be read as a path', () => {
    const keys = (m: Record<string, unknown>): string[] =>
      Object.entries(m).flatMap(([k, v]) =>
        typeof v === 'string' ? [k] : [k, ...keys(v as Record<string, unknown>)],
      )
    expect(keys(en).filter((key) => key.includes('.'))).toEqual([])
  })
})
