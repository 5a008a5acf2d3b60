import { expect, type Locator, type Page } from '@playwright/test'
import { heading, idOf, openPage } from './console.ts'

export const PHASES = [
  'Trigger',
  'Enqueue',
  'Load context',
  'Execute agent',
  'Persist results',
  'Finalize',
  'Notify',
]

/** The word of the run's state in the head of its page. */
export const runStatus = (page: Page): Locator => page.locator('header [data-status]').first()

/** The row of a phase on the time axis. */
export const phaseRow = (page: Page, phase: string): Locator =>
  page.getByRole('figure', { name: 'Run timeline' }).getByRole('listitem').filter({ hasText: phase })

/** Runs the research librarian from the page of agents; ends on the page of the new run. Returns its id. */
export async function askLibrarian(page: Page, question: string): Promise<string> {
  await openPage(page, '/agents', 'Agents')
  await page.getByRole('button', { name: /Run Research librarian/i }).click()
  await page.getByLabel('Question').fill(question)
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await page.waitForURL(/\/runs\/[^/]+$/)
  await expect(heading(page)).toHaveText(question)
  return idOf(page)
}
