/** Histories through renames, compared with git's own over made-up gardens; FOLLOWED_GARDENS for more of them, SEED for others. */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { diceOf } from '#domain/leadership/testing/dice.ts'
import { importGarden } from './import-garden.ts'
import { openGitRepository } from './isomorphic-git.ts'

const author = { name: 'Owner', email: 'owner@garden.example' }
const GARDENS = Number(process.env.FOLLOWED_GARDENS ?? 1)
const COMMITS = 12

const hasGit = (() => {
  try {
    return execFileSync('git', ['--version']).length > 0
  } catch {
    return false
  }
})()

type Random = (below: number) => number

const lineOf = (random: Random) => `line ${random(100_000)} of ${random(7)} words and more`
const textOf = (random: Random) =>
  `${Array.from({ length: 4 + random(12) }, () => lineOf(random)).join('\n')}\n`

/** Removes, moves, makes or edits a note, often with other lines in it; `files` is what the garden holds then. */
function changeOne(files: Map<string, string>, random: Random, made: number): [string, string | null][] {
  const path = [...files.keys()][random(files.size)] ?? ''
  const lines = (files.get(path) ?? '').split('\n')
  for (let n = random(lines.length); n > 0; n--) lines[random(lines.length - 1)] = lineOf(random)
  const fresh = `f${random(3)}/${random(3) > 0 ? `new ${made}.md` : path.split('/')[1]}`
  const what = random(5)
  if (what === 0 && files.size > 3) return [[path, null]]
  if (what <= 2 && !files.has(fresh))
    return [
      [path, null],
      [fresh, lines.join('\n')],
    ]
  return what === 3 ? [[`f0/made ${made}.md`, textOf(random)]] : [[path, lines.join('\n')]]
}

test.skipIf(!hasGit)('the history of every note is that of git log --follow', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-renames-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const dice = diceOf(Number(process.env.SEED ?? 7))
  const random: Random = (below) => Math.floor(dice.between(0, below))
  let renames = 0
  for (let g = 0; g < GARDENS; g++) {
    const gitdir = join(folder, `${g}.git`)
    const files = new Map(Array.from({ length: 5 }, (_, n) => [`f${n % 3}/${n}.md`, textOf(random)]))
    const extraFiles = [...files].map(([path, content]) => ({ path, content }))
    await importGarden(await mkdtemp(join(folder, 'empty-')), gitdir, { author, extraFiles })
    const garden = await openGitRepository(gitdir)
    for (let made = 0; made < COMMITS; made++) {
      const named = new Map<string, string | null>()
      for (let n = random(3); n >= 0; n--) {
        const some = changeOne(files, random, made * 10 + n)
        if (some.some(([path]) => named.has(path))) continue
        for (const [path, content] of some) {
          named.set(path, content)
          if (content === null) files.delete(path)
          else files.set(path, content)
        }
      }
      const parent = await garden.head()
      const changes = [...named].map(([path, content]) => ({ path, content }))
      const people = { author, committer: author }
      await garden.updateBranch(parent, await garden.commit({ parent, changes, message: 'More', ...people }))
    }
    for (const path of files.keys()) {
      const { versions } = await garden.fileHistory(path, {
        ...{ limit: 1_000, withinMs: 60_000 },
        follows: () => true,
      })
      const asked = ['-C', gitdir, 'log', '--follow', '--format=%H', 'main', '--', path]
      const said = execFileSync('git', asked, { encoding: 'utf8' }).trim().split('\n')
      expect(versions.map(({ commit }) => commit.oid)).toEqual(said)
      renames += versions.filter(({ renamed }) => renamed).length
    }
  }
  expect(renames).toBeGreaterThan(0)
})
