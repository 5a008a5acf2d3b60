/**
 * `npm run wall`: the rules of .dependency-cruiser.cjs over every file of the product.
 *
 * A parser that reads nothing would find nothing to forbid. So the run fails, too, when it saw no imports, or when a
 * folder that has sources contributed none.
 */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { cruise } from 'dependency-cruiser'
import { ROOT } from './checkout.mjs'
import { print } from './progress.mjs'

const FOLDERS = ['app', 'src', 'server', 'worker', 'prisma/seed', 'e2e']

/**
 * @typedef {{ modules: number, dependencies: number, faults: { rule: string, from: string, to: string, comment: string }[] }} WallReport
 */

/**
 * Checks the tree below `base` against the rules.
 * @param {string} [base] a checkout (this one by default)
 * @returns {Promise<WallReport>}
 */
export async function checkWall(base = ROOT) {
  const { forbidden, options } = createRequire(import.meta.url)(path.join(ROOT, '.dependency-cruiser.cjs'))
  const folders = FOLDERS.filter((folder) => fs.existsSync(path.join(base, folder)))
  const { output } = await cruise(folders, {
    ...options,
    baseDir: base,
    validate: true,
    ruleSet: { forbidden },
  })
  if (typeof output === 'string') throw new Error(output)
  const comments = new Map(forbidden.map((rule) => [rule.name, rule.comment]))
  const faults = output.summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    from,
    to: cycle ? cycle.map((step) => step.name).join(' → ') : to,
    comment: comments.get(rule.name) ?? '',
  }))
  return {
    modules: output.modules.length,
    dependencies: output.summary.totalDependenciesCruised ?? 0,
    faults,
  }
}

if (process.argv[1] === import.meta.filename) {
  const { modules, dependencies, faults } = await checkWall()
  for (const { rule, from, to, comment } of faults) console.error(`${rule}: ${from} → ${to}\n  ${comment}`)
  print(`${modules} files, ${dependencies} imports, ${faults.length} fault(s) in the wall\n`)
  if (dependencies < modules) console.error('Fewer imports than files: the parser does not read them.')
  process.exit(faults.length === 0 && dependencies >= modules ? 0 : 1)
}
