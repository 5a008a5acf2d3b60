import axe from 'axe-core'
import { expect } from 'vitest'

const THEMES = ['light', 'dark'] as const

/** Fails with the rule and the element of every fault that axe finds, in the light theme and in the dark one. */
export async function expectAccessible(root: Element = document.body): Promise<void> {
  const faults: string[] = []
  for (const theme of THEMES) {
    document.documentElement.dataset.theme = theme
    const { violations } = await axe.run(root, { resultTypes: ['violations'], rules: PAGE_RULES })
    for (const { id, nodes } of violations)
      for (const node of nodes) faults.push(`${theme}: ${id}: ${node.html} ${node.failureSummary}`)
  }
  delete document.documentElement.dataset.theme
  expect(faults).toEqual([])
}

/** Rules about a whole page, which a component is not. */
const PAGE_RULES = { region: { enabled: false }, 'page-has-heading-one': { enabled: false } }
