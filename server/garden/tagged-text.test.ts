import { expect, it } from 'vitest'
import { tagDiff, taggedText } from './tagged-text.ts'

it('gives a note behind a byte order mark its tag in the front matter that it has', () => {
  const text = '\uFEFF---\r\ntitle: A\r\ntags: [soil]\r\n---\r\n# A\r\n'
  const tagged = '---\ntitle: A\ntags: [ soil, water ]\n---\n# A\n'
  expect(taggedText('A.md', text, { add: ['water'], remove: [] })).toBe(tagged)
  expect(tagDiff('A.md', text, { add: ['water'], remove: [] })).toMatchObject({
    ok: true,
    value: { type: 'replace', text: tagged },
  })
})
