import axe, { type RunOptions } from 'axe-core'
import { expect } from 'vitest'
import { userEvent } from 'vitest/browser'

/** The rules about a whole page are left out, which a component is not; only contrast depends on the theme. */
const RUNS: readonly [theme: string, options: RunOptions][] = [
  ['light', { rules: { region: { enabled: false }, 'page-has-heading-one': { enabled: false } } }],
  ['dark', { runOnly: ['color-contrast'] }],
]

/** axe looks at one thing at a time. */
let looking: Promise<unknown> = Promise.resolve()

/** Fails with the rule and the element of every fault that axe finds, in the light theme and in the dark one. */
export async function expectAccessible(root: Element = document.body): Promise<void> {
  // What lies under the pointer looks different; where it was left is chance.
  await userEvent.hover(document.documentElement, { position: { x: 0, y: 0 }, force: true })
  expect(await faultsOf(root)).toEqual([])
}

/** What axe finds in it, each with its theme, rule and element. */
export function faultsOf(root: Element): Promise<string[]> {
  const found = looking.then(() => look(root))
  looking = found.catch(() => undefined)
  return found
}

async function look(root: Element): Promise<string[]> {
  const faults: string[] = []
  for (const [theme, options] of RUNS) {
    if (!root.isConnected) return []
    document.documentElement.dataset.theme = theme
    const { violations } = await axe.run(root, { resultTypes: ['violations'], ...options })
    for (const { id, nodes } of violations)
      for (const node of nodes) faults.push(`${theme}: ${id}: ${node.html} ${node.failureSummary}`)
  }
  delete document.documentElement.dataset.theme
  return faults
}
