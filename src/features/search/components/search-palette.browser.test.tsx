import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { agentCard, agentList } from '#contracts/agent.contract.ts'
import type { SavedView } from '#contracts/saved-view.contract.ts'
import { type ObjectRef, type SearchHit, searchAnswer } from '#contracts/search.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { noteOpened } from '#lib/recent-objects.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { query, router } from '#lib/testing/procedures.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { viewLedger } from '#lib/testing/view-ledger.ts'

const t = textsOf('search')
const jobs = textsOf('jobs')
const agents = textsOf('agents')
const ACT = 'Discard'

const JOB: SearchHit = {
  kind: 'job',
  id: '3e9d5b7a-1c42-4f86-a0d9-6b8e4f2c7a15',
  title: 'Leadership of the beds',
  detail: 'librarian',
  status: 'DEAD',
}
const NOTE: SearchHit = {
  kind: 'note',
  id: 'Beds/North bed.md',
  title: 'North bed',
  detail: 'Beds/North bed.md',
  status: null,
}
const AGENT = agentCard.parse({
  slug: 'librarian',
  status: 'active',
  name: 'Librarian',
  description: '',
  version: '1',
  model: 'extractive',
  tools: ['notebooklm-query'],
  safe_outputs: [],
  file_status: 'active',
  problems: [],
  failed_in_row: 0,
  error: null,
  runs_total: 0,
  runs_waiting: 0,
  running: null,
  last_run: null,
  recent_runs: [],
  proposals_decided: 0,
  proposals_approved: 0,
  tainted: false,
  triggers: { manual: true, cron: null, zone: 'UTC', events: [] },
  next_run_at: null,
  allowed: [],
  revision: 'r',
  updated_at: '2026-03-02T09:00:00.000Z',
})

function Page({ act }: { act: () => void }) {
  useAction({ id: 'proposals.discard', label: ACT, run: act })
  return <h1>Beds</h1>
}

const VIEW: SavedView = {
  view_id: 'view_000000000001',
  list: 'jobs',
  name: 'What fell over',
  filters: { status: 'DEAD' },
}

type Asked = { q: string; states?: string[] }

async function open(at = '/inbox', { recent = [] as ObjectRef[] } = {}) {
  sessionStorage.clear()
  localStorage.clear()
  for (const opened of recent) noteOpened('owner', opened)
  const asked: Asked[] = []
  const act = vi.fn()
  const procedures = {
    search: router({
      everywhere: query(searchAnswer, (input: Asked) => {
        asked.push(input)
        const items = [JOB, NOTE].filter(
          (hit) =>
            hit.title.toLowerCase().includes(input.q.toLowerCase()) ||
            input.states?.includes(hit.status ?? ''),
        )
        return { items }
      }),
      objects: query(searchAnswer, ({ objects }: { objects: { id: string }[] }) => ({
        items: objects.flatMap(({ id }) => [JOB, NOTE].filter((hit) => hit.id === id)),
      })),
    }),
    agents: router({ list: query(agentList, () => ({ items: [AGENT] })) }),
    views: viewLedger([VIEW]),
  }
  const screen = await renderInConsole(<Page act={act} />, { procedures, at })
  const menu = screen.getByRole('dialog', { name: t('title') })
  const show = async () => {
    await userEvent.keyboard('{Control>}k{/Control}')
    await expect.element(menu.getByRole('combobox')).toHaveFocus()
  }
  const options = () =>
    menu
      .getByRole('option')
      .elements()
      .map((option) => option.textContent?.trim() ?? '')
  await show()
  return { ...screen, menu, show, options, asked, act }
}

/** An object's name begins with its title; its place and state follow. */
const named = ({ title }: SearchHit) => new RegExp(`^${title} `)

describe('the command menu', () => {
  it('finds an object while one types, shows its state, and opens it by Enter', async () => {
    const screen = await open()
    await userEvent.keyboard('beds')
    const found = screen.menu.getByRole('option', { name: named(JOB) })
    await expect.element(found.getByText(jobs('state.DEAD'))).toBeVisible()
    await expectAccessible()
    expect(screen.asked.at(-1)).toEqual({ q: 'beds' })
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => window.location.pathname).toBe(`/jobs/${JOB.id}`)
    await expect.element(screen.menu).not.toBeInTheDocument()
  })

  it('closes by Enter on that button, and does not act', async () => {
    onTestFinished(() => page.viewport(1280, 800))
    await page.viewport(390, 844)
    const screen = await open()
    await userEvent.keyboard(ACT)
    await expect
      .element(screen.menu.getByRole('option', { name: ACT }))
      .toHaveAttribute('aria-selected', 'true')
    await userEvent.tab()
    await expect.element(screen.menu.getByRole('button', { name: textsOf('ui')('close') })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.menu).not.toBeInTheDocument()
    expect(screen.act).not.toHaveBeenCalled()
  })

  it('has a button to close it on a phone, and none where there is Escape', async () => {
    const screen = await open()
    const close = screen.menu.getByRole('button', { name: textsOf('ui')('close') })
    await expect.element(close).not.toBeInTheDocument()
    onTestFinished(() => page.viewport(1280, 800))
    await page.viewport(390, 844)
    await expect.element(close).toBeVisible()
    await expectAccessible()
    await close.click()
    await expect.element(screen.menu).not.toBeInTheDocument()
  })

  it('asks for the states that a word of the reader names', async () => {
    const screen = await open()
    await userEvent.keyboard(jobs('state.DEAD').toLowerCase())
    await expect.element(screen.menu.getByRole('option', { name: named(JOB) })).toBeVisible()
    expect(screen.asked.at(-1)?.states).toContain('DEAD')
  })

  it('never opens what an earlier text found', async () => {
    const screen = await open()
    await userEvent.keyboard('north')
    await expect.element(screen.menu.getByRole('option', { name: named(NOTE) })).toBeVisible()
    await userEvent.keyboard('ern lights{Enter}')
    await expect.element(screen.menu.getByText(t('nothing'))).toBeVisible()
    expect(window.location.pathname).toBe('/inbox')
  })

  it('does the acts of the page first, and afterwards what is used most', async () => {
    const screen = await open()
    await expect.poll(() => screen.options()[0]).toBe(ACT)
    await userEvent.keyboard('go to jobs{Enter}')
    await expect.poll(() => window.location.pathname).toBe('/jobs')
    await screen.show()
    await expect.poll(() => screen.options()[0]).toContain(jobs('title'))
    await userEvent.keyboard('disc{Enter}')
    expect(screen.act).toHaveBeenCalledOnce()
  })

  it('runs an agent from anywhere, with its question', async () => {
    const screen = await open('/settings')
    const name = agents('runTitle', { name: AGENT.name })
    await expect.element(screen.menu.getByRole('option', { name })).toBeVisible()
    await userEvent.keyboard('librarian{Enter}')
    const dialog = screen.getByRole('dialog', { name })
    await expect.element(dialog.getByRole('textbox', { name: new RegExp(agents('question')) })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
  })

  it('opens a saved view of any list', async () => {
    const screen = await open('/settings')
    await userEvent.keyboard('fell over')
    await expect.element(screen.menu.getByRole('option', { name: new RegExp(VIEW.name) })).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => window.location.pathname + window.location.search).toBe('/jobs?status=DEAD')
  })

  it('begins with what was opened last, as it is now, on a phone too', async () => {
    await page.viewport(360, 740)
    const screen = await open('/inbox', { recent: [{ kind: 'job', id: JOB.id }] })
    await expect.poll(() => screen.options()[0]).toContain(JOB.title)
    const { width } = screen.menu.element().getBoundingClientRect()
    expect(width).toBeGreaterThan(320)
    await expectAccessible()
    await page.viewport(1280, 800)
  })

  it('leaves out the page one is on', async () => {
    const recent: ObjectRef[] = [
      { kind: 'note', id: NOTE.id },
      { kind: 'job', id: JOB.id },
    ]
    const screen = await open(`/jobs/${JOB.id}`, { recent })
    await expect.poll(() => screen.options()[0]).toContain(NOTE.title)
    expect(screen.options().join()).not.toContain(JOB.title)
  })
})
