import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fileKey,
  foldName,
  isNotePath,
  newPathFault,
  noteName,
  parseGardenPath,
  pathFault,
  sameName,
  utf8Length,
} from './garden-path.ts'
import { STANDING_NAMES, TRAVERSAL_VECTORS } from './traversal-vectors.ts'

const WELCOME = [
  'README.md',
  'ІНДЕКС.md',
  'integration/ПЕРСПЕКТИВА_АГЕНТНОЇ_РОЗРОБКИ.md',
  'Beds/North bed (2026).md',
  "людина/пам'ять.md",
  'людина/пам’ять.md',
  'a/b/c/d/e.md',
  '日本語/ノート.md',
  'हिन्दी/टिप्पणी.md',
  'मराठी.md',
  'עברית.md',
  'ΣΊΣΥΦΟΣ.md',
  '_bloom/comments/x.md',
  '.obsidian/app.json',
  '-rf',
  'v1.2..3.md',
  'Acme Inc./x.md',
  'a'.repeat(255),
  'я'.repeat(127),
  'x.gitignore',
  'Q&A, part 2 – why not!.md',
  'C# + notes @home.md',
]

describe('garden paths', () => {
  it.each(WELCOME)('welcomes %s', (path) => {
    expect(parseGardenPath(path)).toEqual({ ok: true, value: path })
    expect(newPathFault(path)).toBeNull()
  })

  it.each(STANDING_NAMES)('admits %s where it exists, and does not let it be made', (name) => {
    expect(pathFault(`Beds/${name}/x.md`)).toBeNull()
    expect(newPathFault(`Beds/${name}/x.md`)).toMatch(/^new_/)
    expect(newPathFault(`Beds/${name}/x.md`, 2)).toBeNull()
    expect(newPathFault(`Beds/${name}/${name}`, 2)).toMatch(/^new_/)
  })

  it('has at least 200 vectors and refuses every one', () => {
    expect(new Set(TRAVERSAL_VECTORS).size).toBeGreaterThan(200)
    for (const vector of TRAVERSAL_VECTORS) {
      const parsed = parseGardenPath(vector)
      expect(parsed.ok, JSON.stringify(vector)).toBe(false)
      if (!parsed.ok) expect(parsed.refusal.code).toBe('PATH_NOT_ALLOWED')
    }
  })

  it.each([undefined, null, 3, {}, ['a.md']])('refuses what is no text: %j', (value) => {
    expect(parseGardenPath(value).ok).toBe(false)
  })

  it('lets nothing through that a file system or git could read otherwise', () => {
    const unit = fc.oneof(
      fc.constantFrom('.', '/', 'g', 'i', 't', 'G', '\u200b', ' ', '~'),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        const parsed = parseGardenPath(units.join(''))
        if (!parsed.ok) return
        const path = parsed.value
        expect(path).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\]/u)
        if (newPathFault(path) === null) {
          expect(path).toBe(path.normalize('NFC'))
          expect(path).not.toMatch(/[:*?"<>|~%=;$]/u)
        }
        expect(new TextEncoder().encode(path).length).toBeLessThanOrEqual(1024)
        for (const part of path.split('/')) {
          expect(['', '.', '..']).not.toContain(part)
          expect(part.toLowerCase().startsWith('.git')).toBe(false)
          expect(new TextEncoder().encode(part).length).toBeLessThanOrEqual(255)
        }
      }),
      { numRuns: 3000, seed: 26 },
    )
  })

  it('accepts every path made of letters, digits and the allowed signs', () => {
    const char = fc.constantFrom(..."abzABZабгґєіїйАБҐЄ019 ._-()'’,–—&!+@#日本")
    const part = fc
      .array(char, { minLength: 1, maxLength: 40 })
      .map((chars) => chars.join(''))
      .filter((s) => !/^[. ]+$/.test(s) && !s.trimStart().toLowerCase().startsWith('.git'))
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const path = parts.join('/').normalize('NFC')
        expect(newPathFault(path)).toBeNull()
      }),
      { numRuns: 1000, seed: 26 },
    )
  })
})

describe('names', () => {
  it('counts bytes as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
      }),
      { seed: 26 },
    )
  })

  it('folds what some file system takes for the same name', () => {
    expect(foldName('Note.md')).toBe(foldName('nOTE.MD'))
    expect(foldName('ЇЖАК')).toBe(foldName('їжак'))
    expect(foldName('straße')).toBe(foldName('STRASSE'))
    expect(foldName('a\u200bb')).toBe(foldName('AB'))
    expect(foldName('note')).not.toBe(foldName('notes'))
  })

  it('tells one file from another by case and normal form, and not by look', () => {
    expect(fileKey('Note.md')).toBe(fileKey('nOTE.MD'))
    expect(fileKey('й.md')).toBe(fileKey('и\u0306.md'))
    expect(fileKey('①.md')).not.toBe(fileKey('1.md'))
    expect([sameName('й', 'и\u0306'), sameName('a', 'A')]).toEqual([true, false])
  })

  it('keeps notes out of the reserved roots', () => {
    for (const path of ['agents/x.md', 'Agents/x.md', '_bloom/x.md', '_BLOOM/a', 'agents', 'ａgents/x']) {
      expect(isNotePath(path), path).toBe(false)
    }
    for (const path of ['agent/x.md', 'notes/agents/x.md', 'agents.md', 'x_bloom/y.md'])
      expect(isNotePath(path)).toBe(true)
  })

  it('names a note after its file', () => {
    expect(noteName('a/b/North bed.md')).toBe('North bed')
    expect(noteName('v1.2.md')).toBe('v1.2')
  })
})
