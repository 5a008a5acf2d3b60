import { expect, type Page } from '@playwright/test'
import { openPage, press } from './console.ts'

/** Creates a zone over one folder; returns its code, which is shown once. */
export async function createZone(page: Page, name: string, folder: string): Promise<string> {
  await openPage(page, '/zones', 'Zones')
  await press(page, 'n')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Folders').fill(folder)
  await dialog.getByRole('button', { name: 'Create zone' }).click()
  const code = page.locator('[data-zone-code]')
  await expect(code).toHaveText(/^ZONE-/)
  const text = (await code.textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  return text
}

export async function revokeZone(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Zone ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByRole('row', { name: new RegExp(name) })).toContainText('Revoked')
}
