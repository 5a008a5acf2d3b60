/**
 * Texts that hurt whoever reads Markdown or YAML without a bound: each is a few characters, repeated up to a size. Unit tests and the
 * attack on a running product (`npm run attack:markdown`) send the same ones.
 */
export type HostileNote = { name: string; text: (bytes: number) => string }

const upTo = (bytes: number, part: string): string =>
  part.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(part))))
const again = (name: string, part: string, end = '\n'): HostileNote => ({
  name,
  text: (bytes) => `${upTo(bytes, part)}${end}`,
})
const numbered = (name: string, part: (n: number) => string, [start, end] = ['', '']): HostileNote => ({
  name,
  text: (bytes) => {
    const parts = [start]
    for (let n = 0, size = 0; size < bytes - 100; n++) {
      const next = part(n)
      size += next.length
      parts.push(next)
    }
    return `${parts.join('')}${end}\n`
  },
})
const yaml = (name: string, part: (bytes: number) => string): HostileNote => ({
  name: `front matter: ${name}`,
  text: (bytes) => `---\n${part(bytes)}\n---\n\n# Title\n`,
})
const stairs = (name: string, step: (depth: number) => string): HostileNote => ({
  name,
  text: (bytes) => {
    const depth = Math.floor(Math.sqrt(bytes))
    return `${Array.from({ length: depth }, (_, n) => step(n)).join('\n')}\n`
  },
})

const BLOCKS = [
  again('quotes in one line', '>'),
  again('quotes with blanks', '> ', 'x\n'),
  again('a hundred quotes a line', `${'>'.repeat(100)} a\n`),
  again('quotes that continue lazily', '> a\nb\n'),
  again('bullets in one line', '- ', 'x\n'),
  again('plus signs in one line', '+ ', 'x\n'),
  again('stars in one line', '* ', 'x\n'),
  again('numbers in one line', '1. ', 'x\n'),
  again('quotes and bullets by turns', '> - ', 'x\n'),
  stairs('bullets, each deeper', (n) => `${'  '.repeat(n)}- a`),
  stairs('bullets, each deeper, apart', (n) => `${'  '.repeat(n)}- a\n`),
  stairs('quotes, each deeper', (n) => `${'> '.repeat(n)}a`),
  again('a rule of dashes', '- '),
  again('rules', '---\n'),
  again('headings', '# a\n'),
  again('a heading of marks', '#', ' x\n'),
  { name: 'a heading that ends in marks', text: (b: number) => `# a ${upTo(b, '#')} x\n` },
  again('underlined headings', 'a\n=\n'),
  again('items', '- a\n'),
  again('items apart', '- a\n\n'),
  again('tasks', '- [ ] a\n'),
  again('open fences', '```\n~~~\n'),
  again('indented code', '    a\n\n'),
  again('HTML blocks', '<div>\n'),
  again('HTML in HTML', '<div><p><b>', '\n'),
  again('empty lines', '\n'),
  again('one paragraph of short lines', 'a\n'),
  again('hard breaks', 'a  \n'),
  numbered('definitions', (n) => `[r${n}]: /x\n`),
  numbered('definitions and their uses', (n) => `[r${n}]: /x\n\n[r${n}] [r${n >> 1}]\n\n`),
  numbered('footnotes', (n) => `[^f${n}]: x\n\n[^f${n}]\n\n`),
  numbered('footnotes in footnotes', (n) => `[^f${n}]: see [^f${n + 1}]\n\n`, ['[^f0]\n\n', '']),
  { name: 'a footnote used again and again', text: (b: number) => `${upTo(b, '[^a] ')}\n\n[^a]: x\n` },
  {
    name: 'a wide table',
    text: (b: number) => `|${upTo(b / 3, 'a|')}\n|${upTo(b / 3, '-|')}\n|${upTo(b / 3, 'b|')}\n`,
  },
  {
    name: 'a wide table of short rows',
    text: (b: number) => `|${upTo(b / 4, 'a|')}\n|${upTo(b / 4, '-|')}\n${upTo(b / 3, '|b|\n')}`,
  },
  { name: 'a tall table', text: (b: number) => `|a|b|\n|-|-|\n${upTo(b, '|a|b|\n')}` },
  again('bars', '|'),
  { name: 'escaped bars', text: (b: number) => `|a|\n|-|\n|${upTo(b, '\\|')}|\n` },
]

const INLINE = [
  again('stars', '*'),
  again('stars apart', '*a '),
  again('double stars apart', '**a '),
  again('underscores apart', '_a '),
  again('stars and underscores', '*a_ '),
  again('stars that close nothing', 'a* '),
  again('stars nested', '***a** '),
  again('stars inside words', '*a*b'),
  again('underscores inside words', 'a_b_'),
  again('tildes', '~'),
  again('tildes apart', '~~a '),
  {
    name: 'emphasis in emphasis',
    text: (b: number) => `${upTo(b / 2, '*a **b ')}${upTo(b / 2, 'c** d* ')}\n`,
  },
  again('opening brackets', '['),
  again('closing brackets', ']'),
  again('brackets', '[]'),
  again('open links', '[a]('),
  again('links that begin', '[a'),
  again('open addresses', '[a](<b'),
  again('open images', '!['),
  again('images', '![a](b) '),
  again('links', '[a](b) '),
  { name: 'links in links', text: (b: number) => `${upTo(b / 2, '[')}a${upTo(b / 4, '](b)')}\n` },
  again('open wiki links', '[[a|'),
  again('wiki links', '[[a]] '),
  again('open footnotes', '[^a'),
  again('footnotes to nothing', '[^a] '),
  again('backticks apart', '`a '),
  numbered('backticks, each run longer', (n) => `${'`'.repeat(n % 300)} a `),
  again('angles', '<'),
  again('open tags', '<a '),
  again('open attributes', '<a b="'),
  again('open comments', 'a <!-- '),
  again('open instructions', 'a <? '),
  again('open declarations', 'a <!A '),
  again('open character data', 'a <![CDATA[ '),
  again('closing tags', 'a </a '),
  again('tags', '<b>'),
  again('ampersands', '&'),
  again('entities', '&amp;'),
  again('numbers of characters', '&#x10ffff;'),
  again('open entities', '&#'),
  again('backslashes', '\\'),
  again('escapes', '\\*'),
  again('addresses of sites', 'www.a.b '),
  again('addresses of sites in one word', 'www.'),
  again('addresses in one word', 'http://a.b'),
  again('addresses in angles', '<http://a.b>'),
  { name: 'an address that ends in brackets', text: (b: number) => `http://a.b/${upTo(b, ')')}\n` },
  { name: 'an address of brackets', text: (b: number) => `http://a.b/${upTo(b, '(')}\n` },
  again('addresses of people', 'a@b.c '),
  again('addresses of people in one word', 'a@b.'),
  again('half addresses of people', 'a-'),
  again('one word', 'a'),
  again('one line', 'a '),
  { name: 'blanks', text: (b: number) => `a${upTo(b, ' ')}b\n` },
  again('tabs', '\t', 'x\n'),
  again('marks that combine', 'e\u0301\u0302'),
  again('emoji', '\u{1f469}\u200d\u{1f33e}'),
  again('characters without width', '\u200b\u2060'),
]

const FRONT_MATTER = [
  yaml('many keys', (b) => Array.from({ length: Math.floor(b / 9) }, (_, n) => `k${n}: 1`).join('\n')),
  yaml('the same key', (b) => upTo(b, 'a: 1\n')),
  yaml('lists in lists', (b) => upTo(b, '[')),
  yaml('lists in lists, closed', (b) => `a: ${upTo(b / 2, '[')}${upTo(b / 2, ']')}`),
  yaml('maps in maps', (b) => upTo(b, '{a: ')),
  yaml('maps, each deeper', (b) =>
    Array.from({ length: Math.floor(Math.sqrt(b)) }, (_, n) => `${' '.repeat(n)}a:`).join('\n'),
  ),
  yaml('items in one line', (b) => `a:\n${upTo(b, '- ')}x`),
  yaml('questions', (b) => upTo(b, '? ')),
  yaml('aliases of aliases', () =>
    [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}, *a${n}]`),
    ].join('\n'),
  ),
  yaml('aliases', (b) => `a: &a x\nb: [${upTo(b, '*a, ')}]`),
  yaml('anchors', (b) => `a: [${upTo(b, '&a x, ')}]`),
  yaml('merges', (b) => `a: &a {x: 1}\nb:\n${upTo(b, '  <<: *a\n')}`),
  yaml('a list of tags', (b) => `tags: [${upTo(b, 'a, ')}b]`),
  yaml('a long text', (b) => `a: "${upTo(b, 'x')}"`),
  yaml('bad escapes', (b) => `a: "${upTo(b, '\\q')}"`),
  yaml('an open quote', (b) => `a: "${upTo(b, 'x\n ')}`),
  yaml('types', (b) => `a: [${upTo(b, '!!x y, ')}]`),
  yaml('directives', (b) => upTo(b, '%TAG ! x\n')),
  yaml('comments', (b) => upTo(b, '# a\n')),
  yaml('blanks', (b) => `a: ${upTo(b, ' ')}x`),
  yaml('text blocks', (b) => upTo(b, 'a: |\n  x\n')),
  { name: 'front matter without an end', text: (b: number) => `---\n${upTo(b, 'a: 1\n')}` },
]

export const HOSTILE_NOTES: readonly HostileNote[] = [...BLOCKS, ...INLINE, ...FRONT_MATTER]
