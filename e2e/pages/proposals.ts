import { expect, type Locator, type Page } from '@playwright/test'
import { awake } from './console.ts'

/** The proposal under review, beside the list. */
export const review = (page: Page): Locator => page.getByRole('article')

/** What can still be undone, on every page. */
export const undoTray = (page: Page): Locator => page.getByRole('region', { name: 'Approvals you can undo' })

export async function openProposal(page: Page, id: string): Promise<void> {
  await page.goto(`/proposals/${id}`)
  await expect(review(page).getByRole('heading', { level: 2 }).first()).toBeVisible()
  await awake(page)
}

/** The word of its state in the head of the review. */
export const statusOf = (page: Page): Locator => review(page).locator('header [data-status]').first()

/** The chips of sources under a document, in their order. */
export const sourceChips = (page: Page): Locator => page.getByRole('button', { name: /^Source \d+: / })

/** Opens each chip in place and returns what stands there, by the chip's number. */
export async function openedSources(page: Page): Promise<{ n: number; path: string; quote: string }[]> {
  const opened: { n: number; path: string; quote: string }[] = []
  for (const chip of await sourceChips(page).all()) {
    const name = (await chip.textContent()) ?? ''
    await chip.click()
    const excerpt = page.locator('[data-excerpt]')
    await expect(excerpt).toHaveCount(1)
    opened.push({
      n: Number(/\d+/.exec(name)?.[0]),
      path: (await excerpt.getAttribute('data-excerpt')) ?? '',
      quote: (await excerpt.locator('> span').last().textContent()) ?? '',
    })
    await chip.click()
    await expect(excerpt).toHaveCount(0)
  }
  return opened
}
