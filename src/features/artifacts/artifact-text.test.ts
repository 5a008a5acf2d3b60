import { expect, test } from 'vitest'
import { artifactText, firstDifferentLine } from './artifact-text.ts'

const BRIEF = {
  title: 'Slugs',
  summary: 'They like beer.',
  sections: [{ heading: 'Traps', body: 'Sink a cup.', sources: [] }],
  conclusions: ['Use traps.'],
  open_questions: [],
}

test('a brief is compared as it is read, another type as it is stored', () => {
  expect(artifactText({ type: 'RESEARCH_BRIEF', content: BRIEF })).toBe(
    '# Slugs\n\nThey like beer.\n\n## Traps\n\nSink a cup.\n\n- Use traps.\n',
  )
  expect(artifactText({ type: 'BRIEF', content: { b: 1, a: { d: 2, c: [] } } })).toBe(
    '{\n  "a": {\n    "c": [],\n    "d": 2\n  },\n  "b": 1\n}\n',
  )
})

test.each([
  ['a\nb\n', 'a\nb\n', null],
  ['a\nb\n', 'a\nc\n', 2],
  ['a\n', 'a\nb\n', 2],
  ['a\nb', 'a', 2],
  ['', 'a', 1],
])('%j and %j differ first in line %j', (before, after, line) => {
  expect(firstDifferentLine(before, after)).toBe(line)
})
