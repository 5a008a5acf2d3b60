import { describe, expect, test } from 'vitest'
import { AGENT_FILE } from '../runs/testing/run-kit.ts'
import { parseAgentFile } from './agent-file.ts'
import { withFileStatus } from './read-definition.ts'

const GOOD = AGENT_FILE('scout')
const codes = (text: string, slug = 'scout') =>
  parseAgentFile(text, slug).problems.map((p) => `${p.severity} ${p.code} ${p.line}`)
const without = (key: string) => GOOD.replace(new RegExp(`^${key}:.*\n`, 'm'), '')
const having = (line: string) => GOOD.replace(/^version:.*$/m, line)

describe('a definition', () => {
  test('without a fault has no problem', () => {
    expect(codes(GOOD)).toEqual([])
    expect(parseAgentFile(GOOD, 'scout')).toMatchObject({
      version: '1.0.0',
      maxSources: 10,
      memoryMode: 'basic',
      definition: { slug: 'scout', model: 'extractive', max_steps: 5 },
    })
  })

  test.each([
    'name',
    'description',
    'created_by',
    'slug',
    'version',
    'model',
    'tools',
    'safe_outputs',
    'status',
    'created_at',
    'updated_at',
  ])('without %s is invalid', (key) => {
    expect(codes(without(key)).filter((c) => c.startsWith('error'))).not.toEqual([])
  })

  test.each([
    ['a version that is none', having('version: one'), 'error frontmatter_invalid 6'],
    ['another folder’s slug', GOOD.replace('slug: scout', 'slug: other'), 'error slug_differs 5'],
    ['a model nobody knows', GOOD.replace('model: extractive', 'model: oracle'), 'error model_unavailable 7'],
    ['a tool nobody knows', GOOD.replace('notebooklm-query', 'shell'), 'error frontmatter_invalid 8'],
    ['no tool that makes anything', GOOD.replace(', create-proposal', ''), 'error no_output_tool 8'],
    ['a key twice', having('version: 1.0.0\nversion: 2.0.0'), 'error yaml_invalid 7'],
    ['bad YAML', having('version: [1'), 'error yaml_invalid'],
    ['no frontmatter', '# Hello\n', 'error frontmatter_missing 1'],
    ['a file too long', `${GOOD}${'word '.repeat(4_000)}\n`, 'error too_long null'],
    ['a NUL', `${GOOD}a\0b\n`, 'error text_invalid 15'],
    ['half a character', GOOD.replace('name: ', 'name: \ud83c'), 'error text_invalid 2'],
    ['a NUL by its YAML name', having('version: 1.0.0\nnote: {deep: ["a\\0b"]}'), 'error text_invalid 7'],
    ['half a character by its YAML name', having('version: "1\\ud83c"'), 'error text_invalid 6'],
    ['a NUL in a key', having('version: 1.0.0\n"a\\0b": 1'), 'error text_invalid null'],
    ['a key nobody knows', having('version: 1.0.0\ncolour: green'), 'warning key_unknown 7'],
  ])('with %s', (_, text, expected) => {
    expect(codes(text).some((c) => c.startsWith(expected))).toBe(true)
  })

  test.each([
    ['an alias bomb', having('version: 1.0.0\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]')],
    ['a prototype', having('version: 1.0.0\n__proto__: {polluted: true}')],
    ['a list', '---\n- a\n---\nbody\n'],
    ['nothing', ''],
    ['a fence alone', '---\n'],
    ['tags of other languages', having('version: !!js/function "function () {}"')],
  ])('made of %s is judged, not thrown over', (_, text) => {
    expect(() => parseAgentFile(text, 'scout')).not.toThrow()
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

test('what comes out of a file holds no text that cannot be stored', () => {
  const spoilt = having('version: 1.0.0\nnote: {"d\\0eep": ["a\\0b", "\\ud83c"]}')
  const { frontmatter, definition, problems } = parseAgentFile(`${spoilt}bo\0dy \ud83c\n`, 'scout')
  expect(frontmatter.note).toEqual({ deep: ['ab', '\ufffd'] })
  expect(definition.body).toContain('body \ufffd')
  expect(JSON.stringify({ frontmatter, body: definition.body, problems })).not.toMatch(/\\u0000|\\ud83c/)
})

describe('the status in the file', () => {
  test('is the only thing that changes', () => {
    const paused = withFileStatus(GOOD, 'paused')
    expect(paused).toBe(GOOD.replace('status: active', 'status: paused'))
    expect(withFileStatus(paused, 'active')).toBe(GOOD)
  })
  test('is added where there is none, and only to a frontmatter', () => {
    expect(parseAgentFile(withFileStatus(without('status'), 'draft'), 'scout').frontmatter.status).toBe(
      'draft',
    )
    expect(withFileStatus('no frontmatter\n', 'draft')).toBe('no frontmatter\n')
    expect(withFileStatus(`${without('status')}status: of the body\n`, 'draft')).toContain(
      'status: of the body',
    )
  })
})
