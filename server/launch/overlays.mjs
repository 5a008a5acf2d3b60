/**
 * Every dialog, menu and panel of the sources is opened by a component test, and so looked at by axe (`src/lib/testing/overlays.ts`): the list is made
 * from the sources, what was opened is in the report of the tests.
 */
import fs from 'node:fs'
import path from 'node:path'
import { ROOT } from './checkout.mjs'
import { print } from './progress.mjs'

/** The parts of the design system that cover a page; each belongs to the component in whose JSX it stands. */
const PARTS = {
  'dialog.tsx': 'Dialog',
  'confirm.tsx': 'Confirm',
  'outcome-dialog.tsx': 'OutcomeDialog',
  'menu.tsx': 'Menu',
  'popover.tsx': 'Popover',
}
const COMPONENT = /^(?:export )?(?:function|const) ([A-Z]\w*)/gm

/** The overlays of one source: the component that shows it, and the part, as the tests name them. */
export function overlaysOf(/** @type {string} */ source) {
  const components = [...source.matchAll(COMPONENT)]
  return Object.entries(PARTS).flatMap(([file, part]) => {
    const isImported = new RegExp(`import \\{[^}]*\\b${part}\\b[^}]*\\} from '(?:#ui|\\.)/${file}'`).test(
      source,
    )
    if (!isImported) return []
    return [...source.matchAll(new RegExp(`<${part}\\b`, 'g'))].map(
      (tag) => `${components.findLast(({ index }) => index < tag.index)?.[1] ?? ''} ${part}`,
    )
  })
}

/** Every overlay of the sources, with its file. */
function everyOverlay() {
  /** @type {Map<string, string>} */
  const found = new Map()
  for (const name of fs.globSync('src/**/*.tsx', { cwd: ROOT })) {
    const isShownElsewhere = /\.test\.tsx$|\/testing\/|\/specimens\//.test(name)
    if (isShownElsewhere || name.slice('src/ui/'.length) in PARTS) continue
    for (const owner of overlaysOf(fs.readFileSync(path.join(ROOT, name), 'utf8'))) found.set(owner, name)
  }
  return found
}

/** Whose overlays the tests of the report have opened. */
export function overlaysIn(/** @type {{ testResults: any[] }} */ report) {
  const tests = report.testResults.flatMap((file) => file.assertionResults)
  return new Set(tests.flatMap((test) => test.meta?.overlays ?? []))
}

if (import.meta.main) {
  const report = process.argv[2] ?? ''
  if (!fs.existsSync(report)) {
    print(`There is no report ${report}: run the check \`unit\` first.\n`)
    process.exit(1)
  }
  const opened = overlaysIn(JSON.parse(fs.readFileSync(report, 'utf8')))
  const all = everyOverlay()
  const missing = [...all].filter(([owner]) => !opened.has(owner))
  for (const [owner, file] of missing) print(`${file}: no test opens the overlay of ${owner}\n`)
  print(`${all.size - missing.length} of ${all.size} overlays are opened by a test.\n`)
  process.exit(missing.length > 0 ? 1 : 0)
}
