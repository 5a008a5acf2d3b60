import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findRetiredWords } from './words.mjs'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

/** The names found in a tiny checkout with these files. */
function found(files: Record<string, string>): string[] {
  const base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-words-'))
  folders.push(base)
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
    fs.writeFileSync(path.join(base, file), text)
  }
  return findRetiredWords({ base }).hits.map((h) => `${h.file}:${h.line ?? ''} ${h.name}`)
}

describe('retired words', () => {
  test('are not in this checkout', () => {
    const { files, hits } = findRetiredWords()
    expect(files).toBeGreaterThan(0)
    expect(hits).toEqual([])
  })
  test('are found as a part of an identifier, with its line', () => {
    expect(found({ 'src/ui/a.ts': '// the first line\nexport const useDoorText = 1\n' })).toEqual([
      'src/ui/a.ts:2 useDoorText',
    ])
  })
  test('are found as a whole identifier only, where they are written so', () => {
    expect(
      found({ 'src/lib/a.ts': 'export const LOOK = 1, LOOKUP = 2, useActivity = 3, useAct = 4' }),
    ).toEqual(['src/lib/a.ts:1 LOOK', 'src/lib/a.ts:1 useAct'])
  })
  test('are found in names of files and folders', () => {
    expect(found({ 'app/(door)/page.tsx': '', 'src/lib/use-act.ts': '' })).toEqual([
      'app/(door)/page.tsx: (door)',
      'src/lib/use-act.ts: use-act',
    ])
  })
  test('may stand in comments and strings', () => {
    expect(found({ 'src/ui/a.ts': "/* a door */ export const a = 'door' // farewell\n" })).toEqual([])
  })
  test('of one scope may be names in the other', () => {
    expect(found({ 'src/ui/a.ts': 'const worth = 1', 'server/ledger/a.ts': 'const worth = 1' })).toEqual([
      'server/ledger/a.ts:1 worth',
    ])
  })
})
