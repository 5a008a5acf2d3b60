import { describe, expect, test } from 'vitest'
import { asEditOf, withRaisedVersion } from './definition-version.rules.ts'

const text = (version: string, day: string, body = 'version: 9.9.9 is no key.\n') =>
  `---\nname: Scout\n${version}updated_at: ${day}\n---\n\n${body}`

describe('the edit that a definition is', () => {
  test('comes from the other text, and nothing else does', () => {
    expect(asEditOf(text('version: 1.0.0\n', 'a'), text('version: "2.0.0"\n', 'b', 'Other.\n'))).toBe(
      text('version: "2.0.0"\n', 'b'),
    )
    expect(asEditOf(text('', 'a'), text('version: 2.0.0\n', 'b'))).toBe(text('', 'b'))
    expect(asEditOf('version: 1.0.0\n', text('version: 2.0.0\n', 'b'))).toBe('version: 1.0.0\n')
  })

  test.each([
    ['1.0.0', '1.1.0'],
    ['"1.9.3"', '1.10.0'],
    ['2.0.0-rc.1', '2.1.0'],
  ])('raises %s to %s', (from, to) => {
    expect(withRaisedVersion(text(`version: ${from}\n`, 'a'))).toBe(text(`version: ${to}\n`, 'a'))
  })

  test.each(['', 'version: new\n'])('raises none where there is none: %j', (line) => {
    expect(withRaisedVersion(text(line, 'a'))).toBeNull()
  })
})
