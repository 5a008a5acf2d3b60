import { promises as fs } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import git from 'isomorphic-git'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commitBytes, readCommit } from './commit-object.ts'
import { looseObject } from './loose-object.ts'

/** The library is what commits are compared with. */
let at: { fs: { promises: typeof fs }; gitdir: string }
beforeAll(async () => {
  at = { fs: { promises: fs }, gitdir: await fs.mkdtemp(join(tmpdir(), 'bloom-commits-')) }
  await git.init({ ...at, bare: true })
})
afterAll(() => fs.rm(at.gitdir, { recursive: true }))

const [TREE, ONE, OTHER] = ['4', 'a', 'b'].map((digit) => digit.repeat(40)) as [string, string, string]
const OLENA = { name: 'Олена', email: 'olena@garden.example', at: new Date('2026-11-29T10:00:00Z') }
const SIGNED = 'Olena <olena@garden.example> 1795946400 +0200'

test.each([
  ['a first commit', [], 'Leeks'],
  ['one with a trailer', [ONE], 'Leeks\n\nProposal-Id: prop_2026-11-29_83ce15314554\n\n\n'],
  ['a merge', [ONE, OTHER], '\n\nLeeks\r\nand more\r\n'],
  ['one that says nothing', [ONE], ''],
])('%s has the id that the library gives it', async (_, parents, message) => {
  const written = await looseObject(
    'commit',
    commitBytes({ tree: TREE, parents, message, author: OLENA, committer: OLENA }),
  )
  const { name, email, at: date } = OLENA
  const person = { name, email, timestamp: date.getTime() / 1000, timezoneOffset: 0 }
  const commit = { tree: TREE, parent: parents, message, author: person, committer: person }
  expect(written.oid).toBe(await git.writeCommit({ ...at, commit }))
})

test('a signature holds no line break, no angle bracket and no empty name, and without a date it is of now', () => {
  const author = { name: 'Olena\nparent x', email: ' <olena garden> ' }
  const committer = { name: '\u0000', email: '' }
  const before = Math.floor(Date.now() / 1000)
  const read = readCommit(commitBytes({ tree: TREE, parents: [], message: 'x\0y', author, committer }))
  expect(read).toMatchObject({
    author: { name: 'Olena parent x', email: 'olenagarden' },
    committer: { name: 'unknown', email: 'unknown' },
    parents: [],
    message: 'xy\n',
  })
  expect(read.author.at.getTime() / 1000).toBeGreaterThanOrEqual(before)
})

test.each([
  [
    'what we write',
    commitBytes({ tree: TREE, parents: [ONE], message: 'm', author: OLENA, committer: OLENA }).toString(),
  ],
  ['a merge', `tree ${TREE}\nparent ${ONE}\nparent ${OTHER}\nauthor ${SIGNED}\ncommitter ${SIGNED}\n\nm\n`],
  [
    'a signed one',
    `tree ${TREE}\nparent ${ONE}\nauthor ${SIGNED}\ncommitter ${SIGNED}\ngpgsig -----BEGIN\n \n parent ${OTHER}\n -----END\n\nm\n\nmore\n`,
  ],
  [
    'one whose extra headers look like others',
    `tree ${TREE}\nauthor ${SIGNED}\nauthor X <x> 1 +0000\nparent ${ONE}\ntree ${OTHER}\ncommitter ${SIGNED}\n\nm`,
  ],
  [
    'one of before 1970, from a place with an odd hour',
    `tree ${TREE}\nauthor O > L <> -5 -0330\ncommitter ${SIGNED}\nencoding x\n\n\r\n\nm\r\n\n`,
  ],
])('%s says what the library reads', async (_, text) => {
  const object = Buffer.from(text)
  const oid = await git.writeObject({ ...at, type: 'commit', object, format: 'content' })
  const { commit } = await git.readCommit({ ...at, oid })
  const person = ({ name, email, timestamp }: typeof commit.author) => ({
    name,
    email,
    at: new Date(timestamp * 1000),
  })
  expect(readCommit(object)).toEqual({
    tree: commit.tree,
    parents: commit.parent,
    message: commit.message,
    author: person(commit.author),
    committer: person(commit.committer),
  })
})

test.each([
  ['nothing', ''],
  ['another object', 'Leeks.\n\nparent'],
  ['a tree that is no id', `tree x\nauthor ${SIGNED}\ncommitter ${SIGNED}\n\nm`],
  ['no author', `tree ${TREE}\ncommitter ${SIGNED}\n\nm`],
  ['an author without a date', `tree ${TREE}\nauthor Olena <o>\ncommitter ${SIGNED}\n\nm`],
])('%s is no commit', (_, text) => {
  expect(() => readCommit(Buffer.from(text))).toThrow('the commit is torn')
})
