import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from './checkout.mjs'
import { buildPrograms, PROGRAMS, type ProgramFiles } from './programs.mjs'

const NAMES = Object.keys(PROGRAMS) as (keyof ProgramFiles)[]
let files: ProgramFiles

const inode = (file: string) => fs.statSync(path.join(ROOT, file)).ino
/** What it says of each variable that it lacks. */
function faultsOf(file: string): string[] {
  const { status, stderr } = spawnSync(process.execPath, [file], {
    cwd: ROOT,
    env: { NODE_ENV: 'production' },
    input: '',
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  return stderr.match(/^ {2}[A-Z_]+: .*$/gm) ?? []
}

beforeAll(async () => {
  files = await buildPrograms()
})

describe('the bundled programs', () => {
  test('are made once for what they are made of', async () => {
    const made = NAMES.map((name) => inode(files[name]))
    expect(await buildPrograms()).toEqual(files)
    expect(NAMES.map((name) => inode(files[name]))).toEqual(made)
  })

  test.each(NAMES)('hold all of %s: it says of its environment what the source says', (name) => {
    const said = faultsOf(files[name])
    expect(said).toEqual(faultsOf(PROGRAMS[name]))
    expect(said).not.toEqual([])
  })

  test('find what lies beside their sources', () => {
    const folder = path.dirname(path.join(ROOT, files.worker))
    const text = fs
      .readdirSync(folder)
      .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
      .join('\n')
    expect(text).not.toMatch(/import\.meta\.(dirname|filename)/)
    expect(text).toContain(JSON.stringify(path.join(ROOT, 'server/control-plane')))
    expect(text.match(/import\.meta\.url/g)).toEqual(['import.meta.url'])
  })
})
