/**
 * `npm run figures [-- /path/to/another/checkout]`: the size and order of the house in figures, by one tool for any checkout.
 *
 * Figures of code are over the product's own files, without tests, unless the line says otherwise. A state literal is the
 * name of a state of a machine in quotes, outside the machines' tables; some states are plain words, too (`error`).
 */
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './checkout.mjs'
import { print } from './progress.mjs'
import { foreignReferences } from './references.mjs'
import { largestCycle } from './rooms.mjs'
import { isTest, sourceFiles } from './sources.mjs'
import { readSyntax } from './syntax.mjs'

const CODE = ['.ts', '.tsx', '.mjs']
/** What the framework, a tool or a person calls by name. */
const ENTRANCE = /^(app|prisma|e2e)\/|^[^/]+$|(^|\/)main\.ts$/

/**
 * @param {string} [base] a checkout (this one by default)
 * @returns {Promise<[string, string | number][]>}
 */
export async function houseFigures(base = ROOT) {
  const all = sourceFiles(CODE, base).map((file) => readSyntax(base, file))
  const product = all.filter(({ file }) => !isTest(file))
  const tests = all.filter(({ file }) => isTest(file))
  const functions = product.flatMap((file) => file.functions)
  const foreign = foreignReferences(base)
  const decisions = foreign.filter((cited) => /^D\d/.test(cited)).length
  const dead = deadExports(all)
  const [cycle, typeCycle] = [false, true].map((types) => largestCycle(product, { types }))
  const literals = stateLiterals(product, await machineStates(base, product))
  return [
    ['files, product', product.length],
    ['files, tests', tests.length],
    ['lines, product', sum(product.map(({ lines }) => lines))],
    ['lines, tests', sum(tests.map(({ lines }) => lines))],
    ['lines of a file, p50 / p90 / max', spread(product.map(({ lines }) => lines))],
    ['lines of a function, p50 / p90 / max', spread(functions)],
    ['functions', functions.length],
    ['files with SQL outside the ledger', product.filter(hasForeignSql).length],
    ['state literals outside the tables', literals.length],
    ['of them in SQL', literals.filter(({ inSql }) => inSql).length],
    ['of them in capitals, no plain word', literals.filter(({ text }) => /^[A-Z_]+$/.test(text)).length],
    ['rooms in the largest cycle', named(cycle)],
    ['the same, imports of types too', named(typeCycle)],
    ['dead exports, used nowhere', named(dead.nowhere)],
    ['exports used in their own file alone', dead.inside.length],
    ['exports that only tests import', dead.byTests.length],
    ['references to pages', foreign.length - decisions],
    ['references to numbered decisions', decisions],
    ...(await retiredWords(base)),
  ]
}

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((total, n) => total + n, 0)

const named = (/** @type {string[]} */ names) =>
  `${names.length}${names.length > 0 ? `  (${names.join(', ')})` : ''}`

function spread(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return `${at(0.5)} / ${at(0.9)} / ${at(1)}`
}

const hasForeignSql = ({ file, hasSql }) => hasSql && !file.startsWith('server/ledger/')

/** The states of every machine of that checkout. */
async function machineStates(base, files) {
  const tables = files.filter(({ file }) => file.endsWith('.machine.ts'))
  const modules = await Promise.all(
    tables.map(({ file }) => import(pathToFileURL(path.join(base, file)).href)),
  )
  return new Set(modules.flatMap((module) => Object.values(module)).flatMap((value) => value?.states ?? []))
}

function stateLiterals(files, states) {
  const concerned = files.filter(
    ({ file }) => /^(server|worker|src)\//.test(file) && !file.endsWith('.machine.ts'),
  )
  return concerned.flatMap(({ strings }) => strings.filter(({ text }) => states.has(text)))
}

function deadExports(files) {
  const usedBy = (/** @type {(file: string) => boolean} */ counts) => {
    const imports = files.filter(({ file }) => counts(file)).flatMap((file) => file.imports)
    const used = new Set(imports.flatMap(({ from, names }) => names.map((name) => `${from} ${name}`)))
    return ({ file, name }) => used.has(`${file} ${name}`) || used.has(`${file} *`)
  }
  const [anywhere, inProduct] = [usedBy(() => true), usedBy((file) => !isTest(file))]
  const exported = files
    .filter(({ file }) => !isTest(file) && !ENTRANCE.test(file))
    .flatMap(({ file, exports, names }) =>
      exports.map((name) => ({ file, name, alone: names.get(name) === 1 })),
    )
  const never = exported.filter((one) => !anywhere(one))
  return {
    nowhere: never.filter(({ alone }) => alone).map(({ file, name }) => `${name} in ${file}`),
    inside: never.filter(({ alone }) => !alone),
    byTests: exported.filter((one) => anywhere(one) && !inProduct(one)),
  }
}

/** Counted once the house has its list of retired words. */
async function retiredWords(base) {
  const list = path.join(import.meta.dirname, 'words.mjs')
  if (!fs.existsSync(list)) return []
  const { findRetiredWords } = await import(pathToFileURL(list).href)
  return [['names with a retired word', findRetiredWords({ base }).hits.length]]
}

if (process.argv[1] === import.meta.filename) {
  for (const [name, value] of await houseFigures(path.resolve(process.argv[2] ?? ROOT)))
    print(`${name.padEnd(38)} ${value}\n`)
}
