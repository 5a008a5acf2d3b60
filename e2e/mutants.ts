/**
 * `npm run mutants`: breaks one rule after the other in a copy of the checkout and runs the test that must notice. A test that does not
 * fail guards nothing. The whole takes about a quarter of an hour; `npm run mutants -- J4 P3` tries those alone. Ends with 1 if one survives, if
 * a test fails where nothing is broken, or at once if a name is nobody's.
 */
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { MUTANTS } from '#server/launch/testing/mutants/all.ts'
import type { Mutant } from '#server/launch/testing/mutants/mutant.ts'
import { reportOf } from './fixtures/report.ts'

const NOT_COPIED = ['node_modules', '.git', '.next', '.cache', '.bloom', 'test-results']

function copyOfCheckout(): string {
  const [from, to] = [process.cwd(), mkdtempSync(path.join(os.tmpdir(), 'bloom-mutants-'))]
  // The tests' PostgreSQL runs under another account.
  chmodSync(to, 0o755)
  cpSync(from, to, { recursive: true, filter: (file) => !NOT_COPIED.includes(path.relative(from, file)) })
  symlinkSync(path.join(from, 'node_modules'), path.join(to, 'node_modules'))
  return to
}

/** A test that a mutant makes wait for ever is ended, and has noticed nothing. */
const TEST_MS = 10 * 60_000

type Outcome = { passed: number; failed: number }

/** What the tests of this name said. A run that cannot even load its file has no failed test, and so kills nothing. */
async function testIn(folder: string, { test, name }: Pick<Mutant, 'test' | 'name'>): Promise<Outcome> {
  const result = path.join(folder, 'mutant.json')
  rmSync(result, { force: true })
  const vitest = path.join(folder, 'node_modules/vitest/vitest.mjs')
  const pattern = name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('%s', '.*')
  const options = ['--reporter=json', `--outputFile=${result}`, ...(pattern ? ['-t', pattern] : [])]
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'unit*', test, ...options], {
    cwd: folder,
    env: { ...process.env, CI: '' },
    stdio: 'ignore',
    timeout: TEST_MS,
    killSignal: 'SIGKILL',
  })
  await new Promise((resolve) => child.once('exit', resolve))
  try {
    const { numPassedTests, numFailedTests, numTotalTests, success } = JSON.parse(
      readFileSync(result, 'utf8'),
    )
    // What a suite does before its tests has noticed too.
    const before = numFailedTests === 0 && numTotalTests > 0 && !success
    return { passed: numPassedTests, failed: before ? 1 : numFailedTests }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

async function broken(folder: string, mutant: Mutant): Promise<Outcome> {
  const file = path.join(folder, mutant.file)
  const whole = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    whole.replace(mutant.from, () => mutant.to),
  )
  try {
    return await testIn(folder, mutant)
  } finally {
    writeFileSync(file, whole)
  }
}

const report = reportOf('mutants')
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !MUTANTS.some(({ invariant }) => invariant === name))
if (unknown.length > 0) {
  report.check(`mutants named ${unknown.join(', ')}`, false, 'there are none')
  report.verdict()
  process.exit()
}
const chosen = MUTANTS.filter(({ invariant }) => asked.length === 0 || asked.includes(invariant))
const folder = copyOfCheckout()
const sound = new Map<string, Promise<Outcome>>()
try {
  for (const mutant of chosen) {
    const key = `${mutant.test} ${mutant.name}`
    const before = await (sound.get(key) ?? sound.set(key, testIn(folder, mutant)).get(key))
    const after = await broken(folder, mutant)
    const killed = before?.failed === 0 && before.passed > 0 && after.failed > 0
    const why = `${mutant.test}: whole ${JSON.stringify(before)}, broken ${JSON.stringify(after)}`
    report.check(`${mutant.invariant}: ${mutant.breaks}`, killed, killed ? '' : why)
  }
  report.figure('mutants', `${chosen.length}, of ${new Set(chosen.map((m) => m.invariant)).size} invariants`)
  report.verdict()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
