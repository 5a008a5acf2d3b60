import { type Locator, expect as ownPatience, type Page } from '@playwright/test'

/** As long as the tests wait; the benches and chaos programmes have no configuration that says so. */
const PATIENCE = { timeout: 60_000 }
export const expect = ownPatience.configure(PATIENCE)

/** The page's heading of first rank: it names where one is. */
export const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 })

/** A page shows before it answers: clicks and keys count once every button of its content has come to life. */
export async function awake(page: Page): Promise<void> {
  const alive = () =>
    [...document.querySelectorAll('main button')].every((button) =>
      Object.keys(button).some((key) => key.startsWith('__reactProps')),
    )
  await expect
    .poll(() => page.evaluate(alive), { ...PATIENCE, message: 'the page has come to life' })
    .toBe(true)
}

/** Opens a page of the console by its address and waits until it names itself. */
export async function openPage(page: Page, path: string, title?: string | RegExp): Promise<void> {
  await page.goto(path)
  await expect(title ? heading(page).filter({ hasText: title }) : heading(page)).toBeVisible()
  await awake(page)
}

/** The keys work from the page itself, not from a field: the focus goes to the content first. */
export async function press(page: Page, keys: string): Promise<void> {
  await awake(page)
  await expect(page.locator('[data-live="live"]')).not.toHaveCount(0)
  await page.locator('#content').focus()
  await page.keyboard.press(keys)
}

/** The id at the end of the address. */
export const idOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''
