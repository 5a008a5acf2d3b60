import { expect, type Page } from '@playwright/test'
import { openPage } from './console.ts'

/** The owner adds a node by the dialog and copies the text that joins it, which is shown this once. `look` sees the dialog with it. */
export async function addNode(
  page: Page,
  { node, project }: { node: string; project: string },
  look = async () => {},
): Promise<string> {
  await openPage(page, '/nodes', 'Nodes')
  await look()
  await page.getByRole('button', { name: 'Add node' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Node').fill(node)
  await dialog.getByLabel('Project').fill(project)
  await dialog.getByRole('button', { name: 'Add node' }).click()
  const text = dialog.getByRole('group', { name: 'Node settings' })
  await expect(text).toContainText('MEMBRIDGE_NODE_KEY=')
  await look()
  const joinText = `${(await text.innerText()).trimEnd()}\n`
  await dialog.getByRole('button', { name: 'Copy text' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  // Without a clipboard the dialog warns first.
  if (await dialog.isVisible()) await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toHaveCount(0)
  return joinText
}

/** Tells the control plane where the node's agent listens. */
export async function registerAgent(page: Page, node: string, address: string): Promise<void> {
  await openPage(page, `/nodes/${node}`, node)
  await page.getByRole('button', { name: `Actions for node ${node}` }).click()
  await page.getByRole('menuitem', { name: 'Register agent' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill(address)
  await dialog.getByRole('button', { name: 'Register agent' }).click()
  await expect(dialog).toHaveCount(0)
}

/** Starts a push or a pull on the node's page, with a reason; gives the row that shows how it ended. */
export async function syncFromPage(
  page: Page,
  { node, project, action }: { node: string; project: string; action: 'Push' | 'Pull' },
) {
  await openPage(page, `/nodes/${node}`, node)
  const rows = page.getByRole('table', { name: 'Latest syncs' }).getByRole('row')
  const before = await rows.count()
  await page.getByRole('button', { name: `${action} ${project}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('as the journey has it')
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await expect(dialog).toHaveCount(0)
  // The newest stands first, below the head.
  await expect(rows).not.toHaveCount(before)
  return rows.nth(1)
}
