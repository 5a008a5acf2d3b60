import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readZoneCode, zoneCode } from './zone-code.rules.ts'
import { noteInScope, pathsInScope } from './zone-scope.rules.ts'

const fiveBytes = fc.uint8Array({ minLength: 5, maxLength: 5 })

describe('the code of a zone', () => {
  test('is eight digits without the letters that look like others', () => {
    fc.assert(
      fc.property(fiveBytes, (bytes) =>
        /^ZONE-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/.test(zoneCode(bytes)),
      ),
    )
  })

  test('differs whenever the bytes differ', () => {
    fc.assert(
      fc.property(fiveBytes, fiveBytes, (one, other) => {
        expect(zoneCode(one) === zoneCode(other)).toBe(Buffer.from(one).equals(Buffer.from(other)))
      }),
    )
  })

  const sloppy = fc.record({
    bytes: fiveBytes,
    lower: fc.boolean(),
    prefix: fc.constantFrom('ZONE-', 'zone ', 'Z0NE', 'ZONE', ''),
    gap: fc.constantFrom('-', ' ', '', ' - ', '—'),
    letters: fc.boolean(),
  })
  test('is read as it was meant, however it is typed', () => {
    fc.assert(
      fc.property(sloppy, ({ bytes, lower, prefix, gap, letters }) => {
        const code = zoneCode(bytes)
        const [a = '', b = ''] = code.slice(5).split('-')
        const misread = (text: string) => (letters ? text.replaceAll('0', 'O').replaceAll('1', 'l') : text)
        const typed = `${prefix}${misread(a)}${gap}${misread(b)}`
        expect(readZoneCode(lower ? typed.toLowerCase() : typed)).toBe(code)
      }),
    )
  })

  test('is null for what cannot be one', () => {
    for (const typed of ['', 'ZONE', 'ZONE-1234-567U', 'ZONE-1234-56789', 'ЗОНА-1234-5678', '1234-5678\0']) {
      expect(readZoneCode(typed)).toBeNull()
    }
  })
})

describe('the scope of a zone', () => {
  const name = fc.constantFrom('a', 'b', 'сад', 'architecture')
  const folder = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const path = fc.tuple(folder, name).map(([f, n]) => `${f}/${n}.md`)
  const tag = fc.constantFrom('x', 'y', 'Z')
  const tags = fc.array(tag, { maxLength: 3 })
  const scope = fc.record({ folders: fc.array(folder, { maxLength: 3 }), tags })

  test('shows exactly what satisfies every list that is given', () => {
    fc.assert(
      fc.property(scope, path, tags, (s, p, own) => {
        const parts = p.split('/')
        const parents = parts.map((_, i) => parts.slice(0, i).join('/'))
        const inside = s.folders.length === 0 || s.folders.some((f) => parents.includes(f))
        const tagged = s.tags.length === 0 || s.tags.some((t) => own.includes(t))
        const named = s.folders.length + s.tags.length > 0
        expect(noteInScope(s, p, own)).toBe(named && inside && tagged)
      }),
    )
  })

  test('a folder is not the beginning of a name', () => {
    expect(noteInScope({ folders: ['arch'], tags: [] }, 'architecture/x.md', [])).toBe(false)
    expect(noteInScope({ folders: ['arch'], tags: [] }, 'arch.md', [])).toBe(false)
    expect(noteInScope({ folders: ['arch/'], tags: [] }, 'arch/x.md', [])).toBe(true)
  })

  test('one path outside hides the whole', () => {
    fc.assert(
      fc.property(scope, fc.array(path, { maxLength: 4 }), path, (s, inside, other) => {
        const all = pathsInScope(s, [...inside, other], () => [])
        expect(all).toBe([...inside, other].every((p) => noteInScope(s, p, [])))
      }),
    )
    expect(pathsInScope({ folders: ['a'], tags: [] }, [], () => [])).toBe(false)
  })
})
