import { expect, test } from 'vitest'
import { parseRemoteAddress, secretsOf, shownAddress } from './remote-address.ts'

const shown = (text: string) => {
  const address = parseRemoteAddress(text)
  return address && shownAddress(address)
}

test.each([
  ['https://forge.example/me/garden.git', 'https://forge.example/me/garden.git'],
  ['https://me:s3cret@forge.example/garden.git/', 'https://forge.example/garden.git'],
  ['http://127.0.0.1:8080/garden.git', 'http://127.0.0.1:8080/garden.git'],
  ['ssh://git@forge.example:2222/me/garden.git', 'ssh://git@forge.example:2222/me/garden.git'],
  ['git@forge.example:me/garden.git', 'git@forge.example:me/garden.git'],
  ['/mnt/backup/../garden.git', '/mnt/garden.git'],
  ['/mnt/my garden.git', '/mnt/my garden.git'],
  ['file:///mnt/my%20garden.git', '/mnt/my garden.git'],
])('%s is shown as %s', (text, expected) => expect(shown(text)).toBe(expected))

test.each([
  'garden.git',
  '../garden.git',
  'git://forge.example/garden.git',
  'ftp://forge.example/garden.git',
  'ext::sh -c touch% /tmp/x',
  'ssh://-oProxyCommand=touch/garden',
  '-oProxyCommand=x@host:path',
  'git@-oProxyCommand=x:path',
  'git@host:-x',
  'ssh://me:s3cret@forge.example/garden.git',
  'https://forge.example/garden.git?token=1',
  'https://forge.example/garden.git#main',
  'file://server/share/garden.git',
  'https://forge.example/a b.git',
])('%s is none', (text) => expect(parseRemoteAddress(text)).toBeNull())

test.each([
  ['https://me:s3%2Fcret@forge.example/g.git', ['s3%2Fcret', 's3/cret', 'bWU6czMvY3JldA==']],
  [
    'https://ghp_0123456789@forge.example/g.git',
    ['ghp_0123456789', 'ghp_0123456789', 'Z2hwXzAxMjM0NTY3ODk6'],
  ],
  ['https://forge.example/g.git', []],
  ['git@forge.example:g.git', []],
])('the secrets of %s', (text, expected) => expect(secretsOf(text)).toEqual(expected))
