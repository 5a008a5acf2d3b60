import { expect, type Locator, type Page } from '@playwright/test'
import { awake, press } from './console.ts'

/** The proposal under review, beside the list. */
export const review = (page: Page): Locator => page.getByRole('article')

/** What can still be undone, on every page. */
export const undoTray = (page: Page): Locator => page.getByRole('region', { name: 'Approvals you can undo' })

export async function openProposal(page: Page, id: string): Promise<void> {
  await page.goto(`/proposals/${id}`)
  await expect(review(page).getByRole('heading', { level: 2 }).first()).toBeVisible()
  await awake(page)
}

/** Approves by its key, as a reader does: with the change drawn, each hunk of it seen, and a high risk looked at for as long as it takes. */
export async function approve(page: Page): Promise<void> {
  await expect(review(page).locator('[data-diff]').first()).toBeVisible()
  for (const hunk of await review(page).locator('[data-diff] [data-hunk]').all())
    await hunk.scrollIntoViewIfNeeded()
  await expect(review(page).getByRole('button', { name: /^Approve\b/ })).not.toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await press(page, 'a')
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
    // By key: the open excerpt may still push the chip out from under a pointer.
    await chip.press('Enter')
    await expect(excerpt).toHaveCount(0)
  }
  return opened
}
