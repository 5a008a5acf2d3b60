import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { MUTANTS } from './testing/mutants/all.ts'

const read = (file: string) => readFileSync(path.join(process.cwd(), file), 'utf8')
const times = (text: string, part: string) => text.split(part).length - 1

describe.each(MUTANTS.map((mutant) => [`${mutant.invariant}, ${mutant.breaks}`, mutant] as const))(
  'the mutant of %s',
  (_, { file, from, to, test: testFile, name }) => {
    test('changes a text that stands in its file once', () => {
      expect(times(read(file), from)).toBe(1)
      expect(to).not.toBe(from)
    })

    test('names a test that is there', () => {
      expect(times(read(testFile), name)).toBeGreaterThan(0)
    })
  },
)
