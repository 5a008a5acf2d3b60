import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { commentsOf } from './comments.mjs'
import { foreignReferences, readAnchors, referenceFaults } from './references.mjs'

const README =
  '# Jobs\n\n## Who writes what?\n\n- **J4** one active job an agent\n\n| **J5** | a fence |\n\n## Who writes what?\n'
/** Pieced together, so that this file cites nothing itself. */
const cite = (room: string, anchor: string) => `[${room}#${anchor}]`

let base = ''
afterEach(() => fs.rmSync(base, { recursive: true, force: true }))

function plant(files: Record<string, string>): string {
  base = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-references-'))
  for (const [file, text] of Object.entries({ 'server/jobs/README.md': README, ...files })) {
    fs.mkdirSync(path.dirname(path.join(base, file)), { recursive: true })
    fs.writeFileSync(path.join(base, file), text)
  }
  return base
}

describe('references', () => {
  test('lead to headings and ids of a room', () => {
    const anchors = ['J4', 'J5', 'jobs', 'who-writes-what', 'who-writes-what-1']
    const files = { 'server/runs/a.ts': anchors.map((anchor) => `// ${cite('jobs', anchor)}`).join('\n') }
    expect(referenceFaults(plant(files))).toEqual([])
  })

  test.each([
    ['an anchor that is not there', 'jobs', 'J99'],
    ['a room without a README', 'runs', 'J4'],
    ['a room that does not exist', 'domain', 'J4'],
  ])('fail for %s', (_, room, anchor) => {
    const faults = referenceFaults(plant({ 'worker/a.ts': `\n/** As ${cite(room, anchor)} says. */` }))
    expect(faults).toEqual([expect.stringContaining(`worker/a.ts:2: ${cite(room, anchor)} leads nowhere`)])
  })

  test.each([
    ['server/jobs/a.ts', '// see page 04'],
    ['src/ui/a.tsx', '{/* contract page of jobs */}'],
    ['server/jobs/b.mjs', '/** 11:J8 */'],
    ['prisma/seed/a.sql', '-- D31'],
    ['prisma/schema/a.prisma', '/// (D4)'],
  ])('fail in %s for «%s»', (file, text) => {
    expect(referenceFaults(plant({ [file]: text }))).toEqual([expect.stringContaining(`${file}:1`)])
    expect(foreignReferences(base)).toHaveLength(1)
  })

  test('look at comments alone, and not at migrations, which cannot be edited', () => {
    const files = {
      'server/a.ts': "const page = 'page 04'",
      'prisma/migrations/1/migration.sql': '-- page 04',
    }
    expect(referenceFaults(plant(files))).toEqual([])
  })
})

describe('comments', () => {
  test('are told from addresses and quotes in strings', () => {
    const text = 'a(\'http://x\', "//", `/*`) // one\n/** two\n */ b() // three'
    expect(commentsOf('a.ts', text)).toEqual([
      { line: 1, text: '// one' },
      { line: 2, text: '/** two\n */' },
      { line: 3, text: '// three' },
    ])
    expect(commentsOf('a.sql', "SELECT '--' -- four")).toEqual([{ line: 1, text: '-- four' }])
  })

  test('of a README in code blocks are no headings', () => {
    expect(readAnchors('```\n# No\n```\n# Так, Yes!')).toEqual(new Set(['так-yes']))
  })
})
