import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { assignmentLine } from '#domain/membridge/join-text.rules.ts'
import { parseConfigFile } from './config-file.ts'

const value = (line: string) => parseConfigFile(line, '/home/ann').values.A

test.each([
  ['A=plain', 'plain'],
  ['export A=plain', 'plain'],
  ['  export   A=plain  ', 'plain'],
  ['A=', ''],
  ["A='single # $HOME'", 'single # $HOME'],
  ['A="double # $HOME/x"', 'double # /home/ann/x'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a shell writes
  ['A="${HOME}/x"', '/home/ann/x'],
  ['A=$HOME/x', '/home/ann/x'],
  ['A=$HOMEBREW', '$HOMEBREW'],
  ['A=$(hostname)', '$(hostname)'],
  ['A=~/x', '/home/ann/x'],
  ['A=~', '/home/ann'],
  ['A=x~/y', 'x~/y'],
  ['A="~/x"', '~/x'],
  ['A=a#b', 'a#b'],
  ['A=a # comment', 'a'],
  ['A=#a', '#a'],
  ["A='  kept  '  ", '  kept  '],
  ["A= ' a ' # comment", ' a '],
  ['A= # comment', ''],
  ['A="a" # comment', 'a'],
  ['A=\'$HOME\'"/x"y', '$HOME/xy'],
  ['A="say \\"hi\\" \\$HOME"', 'say "hi" $HOME'],
  ['A=two words', 'two words'],
  ['A=k=v==', 'k=v=='],
  ['A=1\r\nB=2', '1'],
  ['\uFEFFA=1', '1'],
  ['A=1\nA=2', '2'],
])('%j gives %j', (line, expected) => {
  expect(value(line)).toBe(expected)
})

test('a home folder that looks like a pattern is taken as it is', () => {
  expect(parseConfigFile('A=~/x\nB=$HOME', '/h/$&').values).toEqual({ A: '/h/$&/x', B: '/h/$&' })
})

test('lines that assign nothing are skipped and named; comments and blank lines are not', () => {
  const { values, skipped } = parseConfigFile('# c\n\nset -a\nA=1\nMINIO ENDPOINT=x\nB="open\nsource x', '/h')
  expect(values).toEqual({ A: '1' })
  expect(skipped).toEqual([3, 5, 6, 7])
})

const HOSTILE = [
  '',
  "it's",
  '"',
  `'"'"'`,
  '$HOME/$(id)`id`',
  '~/x',
  '# no comment',
  ' blanks ',
  'back\\slash\\',
  'a=b&c;d|e>f',
  'Ганна €',
  '!history',
]
const A_SHELL = `set -a; . "$1"; exec "$2" -p 'JSON.stringify(process.env.A)'`

test('what is written as an assignment is read as it was, by the node and by a shell', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-assignment-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const inShell = (line: string) => {
    fs.writeFileSync(path.join(folder, 'c.env'), `${line}\n`)
    const args = ['-c', A_SHELL, 'sh', path.join(folder, 'c.env'), process.execPath]
    return JSON.parse(execFileSync('/bin/sh', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }))
  }
  for (const hostile of HOSTILE) {
    const line = assignmentLine('A', hostile)
    expect(value(line)).toBe(hostile)
    expect(inShell(line)).toBe(hostile)
  }
  const anyLine = fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '~', '#', ' ', '=', 'a', 'é') })
  fc.assert(fc.property(anyLine, (text) => value(assignmentLine('A', text)) === text))
})
