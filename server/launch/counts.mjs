/** How many tests a runner ran, read from its own report: its closing words are for people. */
import fs from 'node:fs'

/** @typedef {{ passed: number, failed: number, skipped: number, flaky: number }} Counts */

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
  }
}

/**
 * @param {string} file Playwright's JSON report
 * @returns {Counts}
 */
export function playwrightCounts(file) {
  const report = readReport(file)
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report.stats ?? {}
  return { passed: expected + flaky, failed: unexpected + (report.errors?.length ?? 0), skipped, flaky }
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
