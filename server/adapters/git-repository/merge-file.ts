import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Merge, type MergePart, wholeOverlap } from '#domain/proposal/merge.rules.ts'
import type { MergeTexts } from '#server/ports/git-repository.ts'
import { CONSOLE_GIT } from './git-at-work.ts'

/** Beyond this git would still answer, and nobody would still be there. */
const DEADLINE_MS = 10_000

/**
 * The merge of two changes of one text as git's own `git merge-file --diff3` makes it.
 *
 * Every line goes to git behind a space, which changes nothing of what is equal to what: so a line that begins with anything else is a
 * marker of git's, whatever the texts hold. Where git is not installed, or has no answer (it takes a NUL for binary content), the whole
 * text is one overlap: less is merged then, and nothing wrongly.
 */
export async function mergeTexts(texts: MergeTexts): Promise<Merge> {
  if (texts.current === texts.proposed) return { clean: true, text: texts.current }
  const output = await mergedByGit(texts)
  return output === null ? wholeOverlap(texts) : parseMerge(output, texts)
}

const FILES = ['current', 'base', 'proposed'] as const
/** Its name says nothing of a conflict, and no configuration of a person or a host decides how it is told. */
const ARGS = ['merge-file', '-p', '-q', '--diff3', ...FILES.flatMap((name) => ['-L', name]), ...FILES]

async function mergedByGit(texts: MergeTexts): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'bloom-merge-'))
  try {
    // A folder of the moment is no part of the program: followed, it would take the whole checkout into the build.
    const path = (name: string) => join(/* turbopackIgnore: true */ folder, name)
    await Promise.all(FILES.map((name) => writeFile(path(name), behindSpaces(texts[name]))))
    return await runGit(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Git's answer, also one with conflicts: their number, at most 127, is its exit code. */
function runGit(cwd: string): Promise<string | null> {
  const env = {
    ...process.env,
    ...CONSOLE_GIT,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CEILING_DIRECTORIES: tmpdir(),
  }
  const options = { cwd, env, timeout: DEADLINE_MS, maxBuffer: Number.POSITIVE_INFINITY }
  return new Promise((resolve) => {
    execFile('git', ARGS, options, (error, stdout) => {
      const answered = error === null || (typeof error.code === 'number' && error.code < 128)
      resolve(answered ? stdout : null)
    })
  })
}

function behindSpaces(text: string): string {
  const lines = linesOf(text)
  return lines.length === 0 ? '' : ` ${lines.join(' ')}`
}

/** Lines with their line feeds; the last one may have none. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

const MARKERS = { '<': 'current', '|': 'base', '=': 'proposed', '>': null } as const
type Side = keyof MergeTexts

function parseMerge(output: string, texts: MergeTexts): Merge {
  const parts: MergePart[] = []
  let [merged, side]: [string, Side | null] = ['', null]
  let overlap: MergeTexts = { current: '', base: '', proposed: '' }
  for (const line of linesOf(output)) {
    const first = line[0] as string
    if (first === ' ') {
      if (side) overlap[side] += line.slice(1)
      else merged += line.slice(1)
      continue
    }
    if (first === '<') {
      if (merged) parts.push({ kind: 'merged', text: merged })
      merged = ''
      overlap = { current: '', base: '', proposed: '' }
    }
    side = MARKERS[first as keyof typeof MARKERS]
    if (side === null) parts.push({ kind: 'overlap', ...overlap })
  }
  if (parts.length === 0) return { clean: true, text: merged }
  if (merged) parts.push({ kind: 'merged', text: merged })
  return { clean: false, parts: asInFiles(parts, texts) }
}

/** Git ends the last line of a side before a marker; where the file ends there without a line feed, it was not there. */
function asInFiles(parts: MergePart[], texts: MergeTexts): MergePart[] {
  const last = parts.at(-1)
  if (last?.kind !== 'overlap') return parts
  const own = (side: Side) =>
    [last[side], last[side].slice(0, -1), last[side].slice(0, -2)].find((text) =>
      texts[side].endsWith(text),
    ) as string
  return [
    ...parts.slice(0, -1),
    { kind: 'overlap', base: own('base'), current: own('current'), proposed: own('proposed') },
  ]
}
