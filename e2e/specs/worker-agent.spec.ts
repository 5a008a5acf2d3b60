/**
 * An agent on a language model: made in the browser, refused while nobody could answer for it, then run on a Worker Node to a proposal, its run page showing
 * the wait. Of two nodes the one that has a task is lost, and the page shows how the other takes it over.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Page } from '@playwright/test'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import { type EdgeWorker, nodeFolder, startEdgeWorker } from '../fixtures/edge-worker.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { expect, test } from '../fixtures/test.ts'
import { LONG, proposalIn, runIn } from '../fixtures/work.ts'
import { idOf, openPage, press } from '../pages/console.ts'
import { approve, openProposal, statusOf } from '../pages/proposals.ts'

const ANSWER = {
  summary: 'One note.',
  proposals: [
    {
      ...{ action: 'propose-note', kind: 'note', target: 'notes/Answers/by-a-model.md' },
      ...{ diff: { type: 'create', text: '# By a model\n\nSpring begins in March.\n' } },
      ...{ summary: 'When spring begins', reasoning: 'It was asked.', citations: [] },
    },
  ],
}

/** Waits for a file, then answers as the executable does: in its envelope. */
function slowAnswer(folder: string, go: string): string {
  const file = path.join(folder, 'answer.sh')
  const envelope = JSON.stringify({ type: 'result', is_error: false, result: JSON.stringify(ANSWER) })
  fs.writeFileSync(path.join(folder, 'answer.json'), envelope)
  fs.writeFileSync(
    file,
    `#!/bin/sh\ncat >/dev/null\necho thinking >&2\nuntil [ -e '${go}' ]; do sleep 0.1; done\ncat '${path.join(folder, 'answer.json')}'\n`,
    { mode: 0o755 },
  )
  return file
}

test('an agent on a model runs on a Worker Node to a proposal', async ({
  owner: page,
  api,
  guard,
  product,
}) => {
  const slug = `thinker-${Date.now()}`
  const folder = nodeFolder()
  const go = path.join(folder, 'go')
  const dialog = page.getByRole('dialog')
  let node: EdgeWorker | undefined
  const openAgent = () => openPage(page, `/agents/${slug}`, 'Thinker')
  const activate = async () => {
    await openAgent()
    await page.getByRole('button', { name: 'Agent actions' }).click()
    await page.getByRole('menuitem', { name: 'Activate' }).click()
    await dialog.getByRole('button', { name: 'Activate' }).click()
  }
  const statusNow = async () => (await api.get<AgentDetail>(`/agents/${slug}`)).body.status
  // Other tests of this product leave nodes behind, and the first attempt is to meet none.
  await inLedger(product.home, 'UPDATE worker_node SET removed_at = now() WHERE active_leases = 0', [])
  try {
    await openPage(page, '/agents', 'Agents')
    await press(page, 'n')
    await dialog.getByLabel('Name').fill('Thinker')
    await dialog.getByLabel('Slug').fill(slug)
    await dialog.getByLabel('Description').fill('Thinks on a model')
    await dialog.getByLabel('Model').selectOption({ label: 'Any Worker Node' })
    await dialog.getByLabel('Instructions').fill('Say when spring begins.')
    await dialog.getByRole('button', { name: 'Propose' }).click()
    await page.waitForURL(/\/proposals\/[^/]+$/)
    await expect(statusOf(page)).toHaveText('Pending')
    const made = idOf(page)
    await approve(page)
    await proposalIn(api, made, 'APPROVED')
    await inLedger(product.home, 'UPDATE proposal SET apply_not_before = now() WHERE proposal_id = $1', [
      made,
    ])
    await expect.poll(statusNow, LONG).toBe('draft')

    await activate()
    await expect(dialog.getByText('No Worker Node is registered', { exact: false })).toBeVisible()
    await dialog.press('Escape')
    node = startEdgeWorker(product, folder, `${slug}-node`, slowAnswer(folder, go))
    await registered(page, product.url, `${slug}-node`)
    await activate()
    await expect.poll(statusNow, LONG).toBe('active')

    await openAgent()
    await press(page, 'r')
    await dialog.getByLabel('Question').fill('When does spring begin?')
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL(/\/runs\//)
    const run = idOf(page)
    const wait = page.getByRole('link', { name: 'Waiting for LLM Task' })
    await expect(wait).toBeVisible(LONG)
    await guard.check(page)
    await wait.click()
    await expect(page.getByText('thinking')).toBeVisible(LONG)
    await expect(page.getByRole('link', { name: run })).toBeVisible()
    fs.writeFileSync(go, '')
    const done = await runIn(api, run, 'completed')
    await openPage(page, `/runs/${run}`, 'When does spring begin?')
    await expect(page.getByRole('region', { name: 'Tool calls' }).getByText('llm-task')).toBeVisible()
    await guard.check(page)
    const proposed = done.proposals_created[0]?.proposal_id as string
    await openProposal(page, proposed)
    await approve(page)
    await proposalIn(api, proposed, 'APPROVED')
  } finally {
    await node?.kill()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})

test('a task whose node is lost goes to the other one, and its page shows how', async ({
  owner: page,
  guard,
  product,
}) => {
  const folders = [nodeFolder(), nodeFolder()] as const
  const names = [`lost-${Date.now()}`, `next-${Date.now()}`] as const
  const nodes: EdgeWorker[] = []
  try {
    const request = {
      context_id: 'garden',
      agent_slug: 'writer',
      prompt: `Go on.\nafter ${folders[1]}/go`,
      policy: { timeout_sec: 15 },
    }
    const headers = { 'x-garden': '1', origin: product.url }
    nodes.push(startEdgeWorker(product, folders[0], names[0], slowAnswer(folders[0], `${folders[0]}/never`)))
    await registered(page, product.url, names[0])
    await openPage(page, '/workers', 'Workers')
    await expect(page.getByText(names[0]).first()).toBeVisible()
    const created = await page.request.post(`${product.url}/api/runtime/llm-tasks`, {
      data: request,
      headers,
    })
    expect(created.status(), await created.text()).toBe(201)
    const { id } = await created.json()
    await page.goto(`/tasks/${id}`)
    await expect(page.getByRole('link', { name: names[0] }).first()).toBeVisible(LONG)
    await nodes[0]?.kill()
    nodes.push(startEdgeWorker(product, folders[1], names[1]))
    fs.writeFileSync(path.join(folders[1], 'go'), '')
    // The lease runs to its end, then the reaper gives the task to the other node: the page follows by itself.
    await expect(page.getByRole('link', { name: 'Open artifact' })).toBeVisible(LONG)
    await expect(page.getByRole('link', { name: names[1] }).first()).toBeVisible()
    await expect(page.getByRole('link', { name: names[0] }).first()).toBeVisible()
    await guard.check(page)
  } finally {
    for (const node of nodes) await node.kill()
    for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true })
  }
})

/** Waits until the node is known, and so is on any page that is opened from then on: one that is open only announces it. */
async function registered(page: Page, url: string, name: string): Promise<void> {
  const names = async () => {
    const answer = await page.request.get(`${url}/api/runtime/workers`, {
      headers: { 'x-garden': '1', origin: url },
    })
    return ((await answer.json()) as { name: string }[]).map((worker) => worker.name)
  }
  await expect.poll(names, LONG).toContain(name)
}
