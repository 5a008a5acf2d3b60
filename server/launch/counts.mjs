/** How many tests a runner ran, and which failed, read from its own report: its closing words are for people. */
import fs from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { ROOT } from './checkout.mjs'

/** @typedef {{ passed: number, failed: number, skipped: number, flaky: number, faults?: string[] }} Counts */

/**
 * @param {string} file vitest's JSON report
 * @returns {Counts}
 */
export function vitestCounts(file) {
  const report = readReport(file)
  // A file that fails before its first test has no tests to fail.
  const brokenFiles = (report.testResults ?? []).filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some((test) => test.status === 'failed'),
  )
  return {
    passed: report.numPassedTests ?? 0,
    failed: (report.numFailedTests ?? 0) + brokenFiles.length,
    skipped: (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0),
    flaky: 0,
    faults: (report.testResults ?? []).flatMap(({ name, message, assertionResults }) => [
      ...(brokenFiles.some((file) => file.name === name) ? [fault(name, '', message)] : []),
      ...assertionResults
        .filter((test) => test.status === 'failed')
        .map((test) => fault(name, test.fullName, test.failureMessages?.[0])),
    ]),
  }
}

/**
 * @param {string} file Playwright's JSON report
 * @returns {Counts}
 */
export function playwrightCounts(file) {
  const report = readReport(file)
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report.stats ?? {}
  const errors = report.errors ?? []
  return {
    passed: expected + flaky,
    failed: unexpected + errors.length,
    skipped,
    flaky,
    faults: [
      ...specsOf(report)
        .filter((spec) => !spec.ok)
        .map((spec) => fault(spec.file, spec.title, spec.tests.at(-1)?.results.at(-1)?.error?.message)),
      ...errors.map((error) => fault('', '', error.message)),
    ],
  }
}

const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]

/** One line: where, which, and how its error begins. */
function fault(/** @type {string} */ file, /** @type {string} */ title, /** @type {string} */ message = '') {
  const where = path.isAbsolute(file) ? path.relative(ROOT, file) : file
  const [words = ''] = stripVTControlCharacters(message).trim().split('\n')
  return [where, title, words].filter(Boolean).join(' › ')
}

/**
 * What a run of tests amounts to: a runner that reports no test, or fails without naming one, counts as one failure.
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
export function finalCounts(counts, exitCode) {
  const silent = counts.failed === 0 && (exitCode !== 0 || counts.passed === 0)
  return silent ? { ...counts, failed: 1 } : counts
}

function readReport(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
