/**
 * Paths that must never pass as garden paths, for the tests of everything that takes one.
 * Made from parts, so that each trick is tried at the front, in the middle and at the end of a path.
 */
const EVIL_COMPONENTS: readonly string[] = [
  ...['..', '.', '...', '....', ' ', '  ', '. .', '.. ', ' ..', ' . '],
  ...[
    '.git',
    '.GIT',
    '.Git',
    '.gIt',
    '.git ',
    ' .git',
    '.gitmodules',
    '.gitattributes',
    '.gitignore',
    '.GITMODULES',
  ],
  ...[
    '.git\u200b',
    '.g\u200bit',
    '.g\u200cit',
    '.g\u200dit',
    '.\u2060git',
    '\ufeff.git',
    '.gi\u00adt',
    '.g\u034fit',
  ],
  ...[
    '.ｇｉｔ',
    '．git',
    '.gıt',
    '.gİt',
    '.ɡit\u0000',
    '.git::$INDEX_ALLOCATION',
    'git~1',
    'GIT~1',
    '.git\ufe0f',
  ],
  ...[
    'a\u0000b',
    'a\nb',
    'a\rb',
    'a\tb',
    'a\u007fb',
    'a\u0085b',
    'a\u001bb',
    'a\u2028b',
    'a\u2029b',
  ],
  ...[
    'a\\b',
    '..\\..',
    '-\u200b',
  ],
  ...[
    'a\u202eb',
    'a\u200eb',
    'a\u2066b',
    '\ufeffa',
    '\ud800',
    'a\udc00b',
  ],
  ...['\u3164', 'a\u115fb', 'a\u180eb', 'a\ufe0fb', 'a\u{e0001}b', '\u{1f469}\u200d\u{1f33e}'],
  ...['a'.repeat(256), 'я'.repeat(128), '字'.repeat(86)],
]

/** More than 200 paths, none of which is a garden path. */
export const TRAVERSAL_VECTORS: readonly string[] = [
  ...EVIL_COMPONENTS.flatMap((evil) => [evil, `${evil}/note.md`, `notes/${evil}/note.md`, `notes/${evil}`]),
  ...[
    '',
    '/',
    '//',
    '/etc/passwd',
    '//host/share',
    'a//b',
    'a/',
    '/a',
    'a/b/',
    './a',
    '../a',
    'a/../b',
    'a/./b',
    'a/..',
  ],
  ...[
    '../../../../etc/passwd',
    '..\\..\\windows',
    'file:///etc/passwd',
    'http://x/y',
    'C:\\x',
    '\\\\server\\share',
  ],
  ...[`${'a/'.repeat(600)}b`, `${'я/'.repeat(400)}я`],
]

/** Names that exist in gardens, and that nobody may propose: signs of other scripts and systems, other normal forms. */
export const STANDING_NAMES: readonly string[] = [
  ...['a:b', 'C:', 'a*b', 'a?b', 'a"b', 'a<b>', 'a|b', 'a%2e%2e', '%2e%2e', 'a;b', '$HOME', '`id`', '~', '~root'],
  ...['a=b', 'a@{0}', 'a^b', 'a{b}', 'a[b]', '100%', '«a»', '“a”', 'a…', '№ 1', 'note\u{1f331}', '×', '½', '①'],
  ...['\u2764\ufe0f', '1\ufe0f\u20e3', 'e\u0301', 'и\u0306', '\u0301a', 'a\u00a0b', 'a\ufffdb'],
]
