/**
 * The merge of texts against git's own words. Random texts are told apart by few lines, so that they overlap often; `MERGE_TRIPLES` sets
 * how many triples are compared.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Merge, overlapsOf, resolveMerge } from '#domain/proposal/merge.rules.ts'
import type { MergeTexts } from '#server/ports/git-repository.ts'
import { mergeTexts } from './merge-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bloom-merged-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Said = { text: string; conflicts: number }
let count = 0

/** What git itself says of these three files. */
async function git(texts: MergeTexts, ...args: string[]): Promise<Said> {
  const at = join(folder, String(++count))
  const paths = [`${at}c`, `${at}b`, `${at}p`] as const
  await Promise.all([texts.current, texts.base, texts.proposed].map((text, i) => writeFile(paths[i]!, text)))
  const said = await new Promise<Said>((resolve) => {
    execFile('git', ['merge-file', '-p', '-q', ...args, ...paths], (error, stdout) =>
      resolve({ text: stdout, conflicts: Number(error?.code ?? 0) }),
    )
  })
  await Promise.all(paths.map((path) => rm(path)))
  return said
}

const LABELS = ['-L', 'current', '-L', 'base', '-L', 'proposed']
const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

/** The merge as `git merge-file --diff3` writes it. */
function written(merge: Merge): string {
  if (merge.clean) return merge.text
  const texts = merge.parts.map((part) =>
    part.kind === 'merged'
      ? part.text
      : `<<<<<<< current\n${ended(part.current)}||||||| base\n${ended(part.base)}=======\n${ended(part.proposed)}>>>>>>> proposed\n`,
  )
  return texts.join('')
}

const all = (merge: Merge, take: 'current' | 'proposed' | 'both') => {
  const resolved = resolveMerge(
    merge,
    overlapsOf(merge).map(() => ({ take })),
  )
  return resolved.ok ? resolved.text : null
}
const FAVOURS = [
  ['--ours', 'current'],
  ['--theirs', 'proposed'],
  ['--union', 'both'],
] as const

type Oracle = (texts: MergeTexts, merge: Merge) => Promise<void>
const asDiff3: Oracle = async (texts, merge) => {
  const said = await git(texts, '--diff3', ...LABELS)
  expect(written(merge)).toBe(said.text)
  expect(Math.min(overlapsOf(merge).length, 127)).toBe(said.conflicts)
}
const favours = FAVOURS.map(
  ([flag, side]): Oracle =>
    async (texts, merge) =>
      expect(all(merge, side), flag).toBe((await git(texts, '--diff3', flag)).text),
)
const ORACLES: readonly Oracle[] = [asDiff3, ...favours]

async function expectGits(texts: MergeTexts, oracles = ORACLES): Promise<Merge> {
  const merge = await mergeTexts(texts)
  await Promise.all(oracles.map((oracle) => oracle(texts, merge)))
  return merge
}

const line = fc.constantFrom(
  'a',
  'b',
  'c',
  '',
  '  ',
  'é',
  '=======',
  '<<<<<<< current',
  '||||||| base',
  '>>>>>>>',
)
const text = fc
  .tuple(fc.array(line, { maxLength: 14 }), fc.boolean())
  .map(([lines, end]) => lines.join('\n') + (end && lines.length > 0 ? '\n' : ''))
/** Both sides from one base by a few edits, or three texts that have nothing to do with each other. */
const edits = fc.array(fc.tuple(fc.nat(14), fc.nat(2), fc.array(line, { maxLength: 2 })), { maxLength: 3 })
const edited = (base: string, changes: [number, number, string[]][]) => {
  const lines = base.split('\n')
  for (const [at, removed, added] of changes) lines.splice(at, removed, ...added)
  return lines.join('\n')
}
const triple = fc.oneof(
  fc.record({ base: text, current: text, proposed: text }),
  fc
    .tuple(text, edits, edits)
    .map(([base, a, b]) => ({ base, current: edited(base, a), proposed: edited(base, b) })),
)

describe('a merge of three texts', () => {
  const triples = Number(process.env.MERGE_TRIPLES ?? 200)
  const AT_ONCE = 8
  it(
    'is byte for byte that of git merge-file, and so is every way to decide it',
    async () => {
      let turn = 0
      const seen = { clean: 0, overlapping: 0 }
      // Each triple asks for one of the four ways to say it, in turn.
      const asked = () => [ORACLES[turn++ % ORACLES.length] as Oracle]
      await fc.assert(
        fc.asyncProperty(fc.array(triple, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (several) => {
          const merges = await Promise.all(several.map((texts) => expectGits(texts, asked())))
          for (const merge of merges) seen[merge.clean ? 'clean' : 'overlapping']++
        }),
        { numRuns: Math.ceil(triples / AT_ONCE), endOnFailure: true },
      )
      expect(Math.min(seen.clean, seen.overlapping)).toBeGreaterThan(triples / 10)
    },
    triples * 400,
  )

  const base = 'one\ntwo\nthree\nfour\nfive\n'
  it.each<[string, MergeTexts]>([
    ['empty on all sides', { base: '', current: '', proposed: '' }],
    ['emptied on one', { base, current: '', proposed: base.replace('three', '3') }],
    ['new on both', { base: '', current: 'x\n', proposed: 'y' }],
    ['without a final newline', { base: 'a\nb', current: 'a\nc', proposed: 'a\nd' }],
    ['that lost the final newline', { base: 'a\nb\n', current: 'a\nb', proposed: 'a\nc\n' }],
    [
      'full of markers',
      { base: '=======\n', current: '<<<<<<< current\n', proposed: '>>>>>>> proposed\n=======\n' },
    ],
  ])('%s is as git says', async (_, texts) => {
    await expectGits(texts)
  })

  it.each([
    ['with CRLF', base.replaceAll('\n', '\r\n')],
    ['with CRLF and no final newline', base.replaceAll('\n', '\r\n').trimEnd()],
    ['with the line ends of both worlds', base.replace('two\n', 'two\r\n')],
  ])('%s keeps its line ends', async (_, crlf) => {
    const overlapping = {
      base: crlf,
      current: crlf.replace('three', '3').replace('five', 'V'),
      proposed: crlf.replace('three', 'III').replace('five', '5'),
    }
    const merge = await mergeTexts(overlapping)
    expect(overlapsOf(merge)).toHaveLength(2)
    for (const [flag, side] of FAVOURS.slice(0, 2))
      expect(all(merge, side)).toBe((await git(overlapping, flag)).text)
    expect(await mergeTexts({ ...overlapping, current: crlf.replace('one', '1') })).toEqual({
      clean: true,
      text: overlapping.proposed.replace('one', '1'),
    })
  })

  it('of 1 MiB is made in good time', async () => {
    const large = Array.from({ length: 60_000 }, (_, i) => `${i} ${'<'.repeat(i % 20)}`).join('\n')
    const current = large.replace('\n500 ', '\nchanged ').replace('\n59000 ', '\nmine ')
    const proposed = large.replace('\n30000 ', '\nalso ').replace('\n59000 ', '\ntheirs ')
    const merge = await expectGits({ base: large, current, proposed }, [asDiff3])
    expect(overlapsOf(merge)).toHaveLength(1)
  })

  it.each([
    ['git takes for binary content', 'a\0\n', undefined],
    ['no git is there to merge', 'a\n', '/nowhere'],
  ])('that %s is one overlap', async (_, current, path) => {
    if (path) vi.stubEnv('PATH', path)
    const texts = { base: 'x\ny\n', current, proposed: 'x\nz\n' }
    const merge = await mergeTexts(texts)
    vi.unstubAllEnvs()
    expect(merge).toEqual({ clean: false, parts: [{ kind: 'overlap', ...texts }] })
  })
})
