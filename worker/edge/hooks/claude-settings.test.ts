import { expect, test } from 'vitest'
import { hookLines, withHooks, withoutHooks } from './claude-settings.ts'

const BIN = '/home/ann/.local/bin'

/** As people and programs write them: every byte outside of our lines has to stay. */
const FILES: [string, string][] = [
  ['a plain file', '{\n  "model": "opus"\n}\n'],
  ['a file without hooks, indented by four', '{\n    "env": {"A": "1"},\n    "n": 1.0\n}'],
  ['tabs', '{\n\t"a": [1, 2],\n\t"b": "\\u00e9"\n}\n'],
  ['line ends of Windows', '{\r\n  "a": 1\r\n}\r\n'],
  ['a byte order mark', '\uFEFF{\n  "a": 1\n}\n'],
  ['one line', '{"a":{"hooks":[]},"b":"}]{\\"["}'],
  ['an empty object', '{}\n'],
  ['other hooks', '{\n  "hooks": {\n    "PreToolUse": [ {"matcher": "*", "hooks": []} ]\n  }\n}\n'],
  [
    'other hooks of the same events',
    '{\n  "hooks": {\n    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }],\n    "SessionStart": [\n      { "hooks": [{ "type": "command", "command": "date" }] }\n    ]\n  },\n  "z": 0\n}\n',
  ],
]

const commandsOf = (text: string, event: string): string[] =>
  JSON.parse(text.replace(/^\uFEFF/, '')).hooks[event].flatMap((group: { hooks: { command: string }[] }) =>
    group.hooks.map((hook) => hook.command),
  )

test.each(FILES)(
  '%s: both hooks are added, nothing else changes, and all is as before when they go',
  (_what, text) => {
    const { text: added, others } = withHooks(text, BIN)
    expect(others).toEqual([])
    expect(commandsOf(added, 'SessionStart').at(-1)).toBe(`${BIN}/claude-mem-hook-pull`)
    expect(commandsOf(added, 'Stop').at(-1)).toBe(`${BIN}/claude-mem-hook-push`)
    expect(withHooks(added, BIN).text).toBe(added)
    expect(withoutHooks(added, BIN)).toBe(text)
  },
)

test('what is added looks like the rest of the file', () => {
  expect(withHooks('{\n    "a": 1\n}\n', BIN).text).toBe(
    `${JSON.stringify({ a: 1, ...JSON.parse(hookLines(BIN)) }, null, 4)}\n`,
  )
  expect(withHooks('', BIN).text).toBe(`${hookLines(BIN)}\n`)
})

test('hooks that run already from another folder are named and not doubled', () => {
  const elsewhere = withHooks('{}', '/old/bin').text
  expect(withHooks(elsewhere, BIN)).toEqual({
    text: elsewhere,
    others: ['/old/bin/claude-mem-hook-pull', '/old/bin/claude-mem-hook-push'],
  })
  expect(withoutHooks(elsewhere, BIN)).toBe(elsewhere)
})

test('a hook that shares its group with another leaves alone', () => {
  const text = `{"hooks":{"Stop":[{"hooks":[{"command":"${BIN}/claude-mem-hook-push"},{"command":"say"}]}]}}`
  expect(withoutHooks(text, BIN)).toBe('{"hooks":{"Stop":[{"hooks":[{"command":"say"}]}]}}')
})

test('a folder with blanks and quotes is a word of the shell', () => {
  const command = commandsOf(withHooks('{}', "/home/an o'n").text, 'Stop')[0]
  expect(command).toBe(`'/home/an o'"'"'n/claude-mem-hook-push'`)
})

test.each(['// c\n{}', '[]', '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1', '7'])(
  '%j is left alone',
  (text) => {
    expect(() => withHooks(text, BIN)).toThrow('the settings of Claude are no JSON of the known form')
  },
)
