/**
 * Every check of the project, one after the other: `npm test`, or some of them by name (`npm test -- lint unit`), or those
 * that are fast: `npm run check`, with `quick` in the place of all tests.
 *
 * A check that fails does not hide the ones behind it. The last line is `N passed, M failed`: tests are counted one by
 * one from their runners' reports, any other check counts as one. Without a single test run the result is a failure.
 */
import fs from 'node:fs'
import path from 'node:path'
import { buildWeb, generateClient } from './build.mjs'
import { ROOT } from './checkout.mjs'
import { endRunning, runToEnd } from './child.mjs'
import { onStopRequest } from './continue.mjs'
import { finalCounts, playwrightCounts, vitestCounts } from './counts.mjs'
import { print, printError } from './progress.mjs'
import { QUICK_TESTS } from './quick-tests.mjs'

const REPORTS = path.join(ROOT, '.cache/checks')
const TSC = 'node_modules/typescript/bin/tsc'

const node = async (/** @type {string[]} */ ...args) =>
  (await runToEnd(process.execPath, args, { show: true })).code
/** A check of the sources: what it says is kept until its turn, since it runs beside others. */
const still = async (/** @type {string[]} */ ...args) => {
  const { code, output } = await runToEnd(process.execPath, args)
  return { ...single(code), output }
}
const single = (/** @type {number} */ code) => ({
  passed: code === 0 ? 1 : 0,
  failed: code === 0 ? 0 : 1,
  skipped: 0,
  flaky: 0,
})

/** @type {Record<string, () => Promise<import('./counts.mjs').Counts & { output?: string }>>} */
const CHECKS = {
  client: async () => {
    await generateClient()
    return single(await node('prisma/engine/prisma.mjs', 'validate'))
  },
  lint: () => still('node_modules/@biomejs/biome/bin/biome', 'check', '.'),
  types: async () => {
    // Routes have types of their own, and styles are modules, only once the framework has written them down.
    const typegen = await runToEnd(process.execPath, ['node_modules/next/dist/bin/next', 'typegen'])
    const types = await still(TSC, '--noEmit')
    return typegen.code === 0 ? types : { ...types, output: typegen.output + types.output }
  },
  domain: () => still(TSC, '--noEmit', '-p', 'src/domain/tsconfig.json'),
  wall: () => still('server/launch/wall.mjs'),
  docs: () => still('server/launch/docs.mjs', '--check'),
  references: () => still('server/launch/references.mjs'),
  sql: () => still('server/launch/sql-names.mjs'),
  words: () => still('server/launch/words.mjs'),
  schema: () => still('server/launch/schema.mjs'),
  quick: () => runVitest('quick', ['--project', 'unit', ...QUICK_TESTS]),
  unit: () => runVitest('unit', []),
  overlays: () => still('server/launch/overlays.mjs', path.join(REPORTS, 'unit.json')),
  build: async () => {
    const built = await buildWeb({ show: true })
    if (!built) print('The pages are up to date.\n')
    return single(0)
  },
  e2e: () =>
    runTests('e2e', playwrightCounts, (report) => {
      process.env.E2E_REPORT = report
      return node('node_modules/@playwright/test/cli.js', 'test')
    }),
}

/** Checks of the sources alone, none of which writes what another reads. Types take longest, so the others run beside them, one after another. */
const BESIDE = [['types'], ['lint', 'domain', 'wall', 'docs', 'references', 'sql', 'words', 'schema']]

/** Those of `npm run check`; all tests include the quick ones. */
const FAST = [
  'client',
  'lint',
  'types',
  'domain',
  'wall',
  'docs',
  'references',
  'sql',
  'words',
  'schema',
  'quick',
]
const ALL = Object.keys(CHECKS).filter((name) => name !== 'quick')

const runVitest = (/** @type {string} */ name, /** @type {readonly string[]} */ files) =>
  runTests(name, vitestCounts, (report) =>
    node(
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...files,
    ),
  )

async function runTests(name, countsOf, run) {
  const report = path.join(REPORTS, `${name}.json`)
  fs.mkdirSync(REPORTS, { recursive: true })
  fs.rmSync(report, { force: true })
  const code = await run(report)
  return finalCounts(countsOf(report), code)
}

const heading = (/** @type {string} */ name) => print(`\n━━ ${name} ${'━'.repeat(60 - name.length)}\n`)

async function check(name) {
  const begun = Date.now()
  let counts
  try {
    counts = await CHECKS[name]()
  } catch (error) {
    printError(error)
    counts = single(1)
  }
  return { name, ...counts, seconds: (Date.now() - begun) / 1000 }
}

function beginBeside() {
  for (const names of BESIDE) {
    /** @type {Promise<unknown>} */
    let before = Promise.resolve()
    for (const name of names.filter((name) => wanted.includes(name))) {
      const now = before.then(() => check(name))
      begun.set(name, now)
      before = now
    }
  }
}

/** As many failed tests of a check are named again at the end, which is all that a cut log may keep. */
const NAMED = 20

function summary(results) {
  print(`\n━━ summary ${'━'.repeat(53)}\n`)
  for (const { name, passed, failed, skipped, flaky, seconds, faults = [] } of results) {
    const more = [flaky && `${flaky} needed another try`, skipped && `${skipped} skipped`]
      .filter(Boolean)
      .join(', ')
    const line = `${failed ? '✗' : '✓'} ${name.padEnd(11)}${String(passed).padStart(6)} passed ${String(failed).padStart(4)} failed`
    const row = `${line}  ${seconds.toFixed(1).padStart(6)} s  ${more}`
    print(`${row.trimEnd()}\n`)
    for (const fault of faults.slice(0, NAMED)) print(`    ${fault}\n`)
    if (faults.length > NAMED) print(`    … and ${faults.length - NAMED} more\n`)
  }
  const sum = (field) => results.reduce((total, result) => total + result[field], 0)
  print(`\n${sum('passed')} passed, ${sum('failed')} failed\n`)
  return sum('failed') === 0 && sum('passed') > 0
}

onStopRequest(async () => {
  await endRunning()
  process.exit(130)
})

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => name !== '--fast' && !(name in CHECKS))
if (unknown.length) {
  console.error(`There is no check ${unknown.join(', ')}; there are: ${Object.keys(CHECKS).join(' ')}`)
  process.exit(2)
}
const named = asked.filter((name) => name !== '--fast')
const wanted = named.length > 0 ? named : asked.length > 0 ? FAST : ALL
const results = []
/** @type {Map<string, ReturnType<typeof check>>} */
const begun = new Map()
for (const name of Object.keys(CHECKS).filter((name) => wanted.includes(name))) {
  if (begun.size === 0 && BESIDE.flat().includes(name)) beginBeside()
  const waiting = begun.get(name)
  if (!waiting) heading(name)
  const result = await (waiting ?? check(name))
  if (waiting) heading(name)
  if (result.output) process.stdout.write(result.output)
  results.push(result)
}
process.exit(summary(results) ? 0 : 1)
