/**
 * `node server/launch/words.mjs`: finds retired words (retired-words.mjs) in identifiers and in names of files and folders, and
 * exits 1 with a line for each hit.
 *
 * Comments and quoted strings are not read. A run that sees no files fails: it would find nothing to forbid.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { print } from './progress.mjs'
import { RETIRED_WORDS } from './retired-words.mjs'

/** The folders of each scope. */
const FOLDERS = {
  ui: ['app', 'src/features', 'src/ui', 'src/lib'],
  server: ['server', 'worker', 'src/domain', 'src/contracts'],
}
const SOURCE = /\.(ts|tsx|mjs)$/
const SELF = 'server/launch/retired-words.mjs'

/** @typedef {{ file: string, line: number | null, name: string, word: string, instead: string }} WordHit */

/**
 * Looks for the retired words below a checkout.
 * @param {{ base?: string }} [options] this checkout by default
 * @returns {{ files: number, hits: WordHit[] }}
 */
export function findRetiredWords({ base = ROOT } = {}) {
  let files = 0
  const hits = Object.entries(FOLDERS).flatMap(([scope, folders]) => {
    const wanted = RETIRED_WORDS.filter((w) => w.scope === scope)
    const found = folders.flatMap((folder) => sourcesBelow(base, folder))
    files += found.length
    return found.flatMap((file) => hitsIn(base, file, wanted))
  })
  return { files, hits }
}

function hitsIn(base, file, words) {
  const names = [...namesInPath(file), ...namesInText(fs.readFileSync(path.join(base, file), 'utf8'))]
  return names.flatMap(({ name, line }) => {
    const parts = partsOf(name)
    return words
      .filter(({ word }) => matches(word, name, parts))
      .map(({ word, instead }) => ({ file, line, name, word, instead }))
  })
}

/** A lower-case word matches any part of a name, another one the whole name, written in camel case or with dashes. */
const matches = (word, name, parts) =>
  /^[a-z]+$/.test(word)
    ? parts.includes(word)
    : name === word || (name.includes('-') && name === partsOf(word).join('-'))

const partsOf = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)

const namesInPath = (file) => file.split('/').map((part) => ({ name: part.split('.')[0] ?? '', line: null }))

function namesInText(text) {
  return withoutComments(text)
    .split('\n')
    .flatMap((code, at) =>
      [...code.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, "''").matchAll(/[A-Za-z_$][\w$]*/g)].map(
        ([name]) => ({ name, line: at + 1 }),
      ),
    )
}

/** The text with the same lines, its comments blanked. */
const withoutComments = (text) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|\s)\/\/.*$/gm, '$1')

function sourcesBelow(base, folder) {
  const at = path.join(base, folder)
  if (!fs.existsSync(at)) return []
  return fs
    .readdirSync(at, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => SOURCE.test(file) && file !== SELF && !file.includes('/generated/'))
    .sort()
}

if (process.argv[1] === import.meta.filename) {
  const { files, hits } = findRetiredWords()
  for (const { file, line, name, word, instead } of hits)
    console.error(`${file}${line === null ? '' : `:${line}`}: ${name} (${word}): say ${instead}`)
  print(`${files} files, ${RETIRED_WORDS.length} retired words, ${hits.length} found\n`)
  process.exit(files > 0 && hits.length === 0 ? 0 : 1)
}
