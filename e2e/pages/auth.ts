import type { Page } from '@playwright/test'
import { expect } from './console.ts'

export const OWNER_PASSWORD = 'a journey through the garden 1'

/** The owner comes by the one-time link and sets a password; ends at the Inbox. `look` sees the page of the password. */
export async function enterByLink(page: Page, link: string, look = async () => {}): Promise<void> {
  await page.goto(link)
  await page.waitForURL(/\/set-password/)
  await look()
  await page.getByLabel('New password').fill(OWNER_PASSWORD)
  await page.getByLabel('Confirm password').fill(OWNER_PASSWORD)
  await page.getByRole('button', { name: 'Save password' }).click()
  await page.waitForURL(/\/inbox/)
  await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()
}

/** The owner signs in on the sign-in page, which leads on to where they wanted to go. */
export async function signInByPassword(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('owner')
  await page.getByLabel('Password').fill(OWNER_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A guest comes by a zone's code, reads the terms and agrees. `look` sees both pages. */
export async function enterZone(page: Page, code: string, look = async () => {}): Promise<void> {
  await page.goto('/zone')
  await look()
  await page.getByLabel('Zone code').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Terms of access' })).toBeVisible()
  await look()
  await page.getByLabel('I have read and agree to these terms').check()
  await page.getByRole('button', { name: 'Enter' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/zone'))
}
