import { expect, it } from 'vitest'
import { attachmentNamed } from './attachment.ts'

const ID = 'art-1'
const plain = (name: string) => `attachment; filename="${name}"; filename*=UTF-8''${encodeURIComponent(name)}`
const utf8 = (name: string) =>
  `attachment; filename="${ID}.md"; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`

it.each([
  ['a plain title', 'North bed', plain('North bed.md')],
  ['another script', 'Грядки', utf8('Грядки.md')],
  ['what a file system forbids', 'a/b\\c: "d"?', plain('a b c d.md')],
  ['a line that ends the header', 'a\r\nset-cookie: x', plain('a set-cookie x.md')],
  ['a title that turns the writing around', 'a\u202Egpj.exe', plain('a gpj.exe.md')],
  ['a hidden file', '..', plain(`${ID}.md`)],
  ['nothing', ' \u200B ', plain(`${ID}.md`)],
  ['an apostrophe', "м’ята ' (1)*", utf8("м’ята ' (1).md").replace('(1)', '%281%29')],
  ['half a character', 'a\uD800', utf8('a\uFFFD.md')],
  ['a long one', 'ї'.repeat(300), utf8(`${'ї'.repeat(120)}.md`)],
])('names a file after %s', (_, title, header) => {
  expect(attachmentNamed(title, { id: ID, ending: 'md' })).toBe(header)
})
