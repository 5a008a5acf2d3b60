import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { houseFigures } from './figures.mjs'
import { readSyntax } from './syntax.mjs'

let base = ''
afterEach(() => fs.rmSync(base, { recursive: true, force: true }))

function plant(files: Record<string, string>): string {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-figures-'))
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
    fs.writeFileSync(path.join(base, file), text)
  }
  return base
}

const figures = async (files: Record<string, string>) => Object.fromEntries(await houseFigures(plant(files)))

describe('figures', () => {
  test('count files, lines and functions of the product and of its tests apart', async () => {
    const counted = await figures({
      'server/jobs/a.ts': '// Київ\nexport function a() {\n  return [1].map((n) => n)\n}\n',
      'server/jobs/b.ts': 'export const b = 1\n',
      'server/jobs/a.test.ts': 'one\ntwo\n',
    })
    expect(counted).toMatchObject({
      'files, product': 2,
      'files, tests': 1,
      'lines, product': 5,
      'lines, tests': 2,
      functions: 2,
      'lines of a function, p50 / p90 / max': '3 / 3 / 3',
    })
  })

  test('count SQL outside the ledger and states outside the tables', async () => {
    const counted = await figures({
      'src/domain/job/job.machine.ts': "export const job = { states: ['DEAD', 'open'] }",
      'server/ledger/a.ts': 'sql`SELECT 1`',
      'server/jobs/a.ts': "sql`WHERE status = 'DEAD'`; f('DEAD', 'open', 'else')",
    })
    expect(counted).toMatchObject({
      'files with SQL outside the ledger': 1,
      'state literals outside the tables': 3,
      'of them in SQL': 1,
      'of them in capitals, no plain word': 2,
    })
  })

  test('find rooms that import each other, by types too', async () => {
    const counted = await figures({
      'server/a/a.ts': "import '#server/b/b.ts'",
      'server/b/b.ts': "import type { C } from '../c/c.ts'",
      'server/c/c.ts': "import { a } from '../a/a.ts'; import '../d/d.ts'",
      'server/d/d.ts': "export * from '../c/c.ts'",
    })
    expect(counted['rooms in the largest cycle']).toBe('2  (c, d)')
    expect(counted['the same, imports of types too']).toBe('4  (a, b, c, d)')
  })

  test('find exports that nobody imports', async () => {
    const counted = await figures({
      'server/a/a.ts':
        'export const dead = 1\nexport const { own } = { own: 1 }\nown\nexport type T = 1\nexport const tested = 1',
      'server/a/a.test.ts': "import { tested, type T } from './a.ts'",
      'server/b/b.mjs': "/** @param {import('../a/a.ts').T} t */\nexport const whole = 1",
      'server/c/c.ts': "const { whole } = await import('#server/b/b.mjs')",
    })
    expect(counted).toMatchObject({
      'dead exports, used nowhere': '1  (dead in server/a/a.ts)',
      'exports used in their own file alone': 1,
      'exports that only tests import': 1,
    })
  })

  test('count references to a book that is not in the house', async () => {
    const counted = await figures({ 'server/a/a.ts': '// page 04, section 1; D31 and D4' })
    expect(counted).toMatchObject({ 'references to pages': 1, 'references to numbered decisions': 2 })
  })
})

describe('syntax', () => {
  test('knows the lines of strings, behind letters of several bytes and in a second file', () => {
    plant({ 'a.ts': "\n'раз'\n'два'", 'b.tsx': "#!/usr/bin/env node\nconst b = <b>{'x'}</b>" })
    expect(readSyntax(base, 'a.ts').strings.map(({ line }) => line)).toEqual([2, 3])
    expect(readSyntax(base, 'b.tsx').strings.map(({ line, text }) => `${line} ${text}`)).toEqual(['2 x'])
  })
})
