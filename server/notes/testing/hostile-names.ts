/** A folder of notes whose names try everything that file systems and Git hold, the same for the same seed. */
import fc from 'fast-check'
import { utf8Length } from '#domain/garden/garden-path.ts'
import type { LeftOutReason } from '#domain/garden/left-out.rules.ts'

export type HostileNote = {
  path: string
  /** Why the garden must leave it out; null for what it must take. */
  reason: LeftOutReason | null
}

const PARTS = [
  ...[
    'a',
    'Bed',
    'грядка',
    'Їжак',
    'ґанок',
    'ノート',
    '笔记',
    'हिन्दी',
    'עברית',
    'عربى',
    'ΣΊΣΥΦΟΣ',
    'straße',
    'ﬁn',
  ],
  ...[
    'cafe\u0301',
    'и\u0306ога',
    'Å',
    'A\u030a',
    '½',
    '①',
    '№',
    '🌱',
    '❤\ufe0f',
    '1\ufe0f\u20e3',
    '🇺🇦',
    '🧑🏽',
  ],
  ...[
    '%2F',
    '%2e%2e',
    '100%',
    '%',
    '%C3%28',
    '&amp;',
    '<b>',
    '{{x}}',
    '[[y]]',
    '$HOME',
    '`id`',
    '~',
    'C#',
    '^1',
  ],
  ...[
    'con',
    'NUL',
    'index',
    'page',
    'api',
    'view',
    'left-out',
    'undefined',
    'null',
    '__proto__',
    'constructor',
  ],
]
const SIGNS = [
  ...[
    ',',
    ' – ',
    '—',
    '"',
    "'",
    '«»',
    '“”',
    '’',
    '&',
    '!',
    '?',
    '(',
    ')',
    '+',
    '#',
    '%',
    '@',
    '=',
    ';',
    ':',
    '*',
  ],
  ...[
    '|',
    '<',
    '>',
    '^',
    '~',
    '$',
    '`',
    '{',
    '}',
    '[',
    ']',
    ' ',
    '  ',
    '\u00a0',
    '.',
    '..',
    '-',
    '_',
    '…',
    '\ufffd',
  ],
]
const word = fc.constantFrom(...PARTS)
const sign = fc.constantFrom(...SIGNS)

const shortened = (name: string, bytes: number): string => {
  const chars = [...name]
  while (utf8Length(chars.join('')) > bytes) chars.pop()
  return chars.join('')
}
/** At most 250 bytes, and neither hidden nor of dots alone: what the garden must take. */
const name = fc
  .array(fc.tuple(word, sign), { minLength: 1, maxLength: 5 })
  .chain((parts) =>
    fc.record({ text: fc.constant(parts.flat().join('')), cut: fc.integer({ min: 0, max: 9 }) }),
  )
  .map(({ text, cut }) => shortened(cut === 0 ? text.repeat(40) : cut < 4 ? ` ${text}` : text, 250))

const EVIL: [string, LeftOutReason][] = [
  ['a\nb', 'control'],
  ['a\tb', 'control'],
  ['a\u007fb', 'control'],
  ['a\u2028b', 'control'],
  ['a\\b', 'backslash'],
  ['..\\x', 'backslash'],
  ['.git', 'git'],
  ['.GIT', 'git'],
  ['.g\u200bit', 'git'],
  ['.gitmodules', 'git'],
  ['git~1', 'git'],
  ['a\u200bb', 'invisible'],
  ['a\u202eb', 'invisible'],
  ['👩\u200d🌾', 'invisible'],
  ['a\ufe0fb', 'invisible'],
  ['... ', 'dots'],
  ['.hidden', 'hidden'],
]
const evil = fc
  .tuple(fc.constantFrom(...EVIL), fc.nat(1_000_000))
  .map(([[text, reason], n]) => ({ file: reason === 'dots' ? text : `${text}${n}.md`, reason }))

/** `count` paths and some more that must be left out; of names that are one on some file systems only the first. */
export function hostileNotes(count: number, seed: number): HostileNote[] {
  const folders = ['', ...fc.sample(name, { seed, numRuns: 12 }).map((part, i) => `${part}${i}/`)]
  const deep = folders.flatMap((folder, i) =>
    folder && i % 3 === 0 ? [`${folder}${folders[i - 1] || 'x/'}`] : [],
  )
  const below = fc.constantFrom(...folders, ...deep)
  const good = fc.sample(fc.tuple(below, name), { seed, numRuns: count })
  const bad = fc.sample(fc.tuple(below, evil), { seed, numRuns: Math.ceil(count / 10) })
  const notes = [
    // The number keeps names apart that differ in case or form alone; those are tried by name in the import's own tests.
    ...good.map(([folder, text], i) => ({ path: `${folder}${shortened(text, 240)}~${i}.md`, reason: null })),
    ...bad.map(([folder, { file, reason }]) => ({ path: `${folder}${file}`, reason })),
  ]
  return [...new Map(notes.map((note) => [note.path, note])).values()]
}
