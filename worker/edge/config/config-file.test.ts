import { expect, test } from 'vitest'
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
