/** Deciding on a phone: one proposal fills the screen, its acts are under the thumb, and a swipe does what the button does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProposalView } from '#contracts/proposal.contract.ts'
import { keepIn } from '#lib/kept.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { reviewQueue } from '../testing/procedures.ts'
import { aProposal, idOf } from '../testing/proposals.ts'
import { becomePhone, draw } from '../testing/touch.ts'
import { ProposalsPage } from './proposals-page.tsx'
import { UndoTray } from './undo-tray.tsx'

const t = textsOf('proposals')
const ui = textsOf('ui')
const shell = textsOf('shell')
const LEAST_TARGET = 44
const risk = (level: 'low' | 'medium') => ({ level, score: level === 'low' ? 5 : 40, reasons: [] })
const COMMANDS = ['approve', 'reject', 'edit', 'requestChanges', 'snooze', 'extend'] as const
const card = (n: number, more: Partial<ProposalView> = {}) =>
  aProposal(n, { risk: risk('low'), commands: [...COMMANDS], ...more })

let leave = async () => {}
beforeAll(async () => {
  keepIn('local', 'proposals.swipe.hint', true)
  leave = await becomePhone()
})
afterAll(() => leave())

async function open(proposals = [card(1), card(2), card(3)], at = `/proposals/${idOf(1)}`) {
  const queue = reviewQueue(proposals)
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: queue.procedures,
    at,
    tray: <UndoTray />,
  })
  const title = (n: number) => screen.getByRole('heading', { name: aProposal(n).summary })
  const decisions = () => queue.asked.filter(({ command }) => command !== 'markSeen')
  if (at !== '/proposals')
    await expect.element(screen.getByRole('region', { name: /notes\/note-/ })).toBeVisible()
  // The swipe is loaded when it is first of use.
  if (at !== '/proposals') await expect.poll(() => review().style.touchAction).toContain('pan-y')
  return { ...screen, queue, title, decisions }
}

const review = () => document.querySelector('[data-review]') as HTMLElement
const root = document.documentElement
const painted = () => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))
const mark = () => document.querySelector<HTMLElement>('[data-pull]')?.dataset.pull ?? null
const box = (selector: string) => (document.querySelector(selector) as Element).getBoundingClientRect()
/** Where the diff is, which takes most of the screen. */
const middle = () => Math.min(600, box('[data-diff]').top + 120)
const APPROVED = {
  command: 'approve',
  input: { proposal_id: idOf(1), review_digest: aProposal(1).review_digest },
}

describe('one proposal on a phone', () => {
  it('fills the screen, with its acts at the lower edge and nothing behind them that cannot be read', async () => {
    const screen = await open()
    expect(screen.getByRole('table').elements()).toEqual([])
    expect(screen.getByRole('navigation', { name: shell('navigation') }).elements()).toEqual([])
    await expect.element(screen.getByText(t('position', { at: 1, total: 3, left: 3 })).first()).toBeVisible()
    const buttons = screen.getByRole('button', {
      name: new RegExp(`^(${t('approve')}|${t('reject')}|${t('actions')})$`),
    })
    expect(buttons.elements()).toHaveLength(3)
    const ways = [ui('back'), t('previous'), t('next')].map((name) =>
      screen.getByRole(name === ui('back') ? 'link' : 'button', { name }).element(),
    )
    for (const element of [...buttons.elements(), ...ways]) {
      const { width, height } = element.getBoundingClientRect()
      expect(Math.min(width, height), element.textContent ?? '').toBeGreaterThanOrEqual(LEAST_TARGET)
    }
    expect(root.scrollWidth).toBe(root.clientWidth)
    expect(box('[data-commands]').bottom).toBe(window.innerHeight)
    window.scrollTo(0, root.scrollHeight)
    expect(review().getBoundingClientRect().bottom).toBeLessThanOrEqual(box('[data-commands]').top)
    await expectAccessible()
  })

  it('leads on and back at its top, and to the list where it was left', async () => {
    const screen = await open(
      Array.from({ length: 12 }, (_, n) => card(n + 1)),
      '/proposals',
    )
    const link = screen.getByRole('link', { name: aProposal(9).summary })
    const scrolled = new Promise((seen) => document.addEventListener('scroll', seen, { once: true }))
    link.element().scrollIntoView({ block: 'center' })
    await scrolled
    const left = window.scrollY
    expect(left).toBeGreaterThan(100)
    // The whole card is its link's, which has no size of its own.
    const name = link.element() as HTMLElement
    name.click()
    await expect.element(screen.title(9)).toBeVisible()
    expect(window.scrollY).toBe(0)
    window.scrollTo(0, 300)
    await screen.getByRole('button', { name: t('next') }).click()
    await expect.element(screen.title(10)).toBeVisible()
    expect(window.scrollY).toBe(0)
    await screen.getByRole('link', { name: ui('back') }).click()
    await expect.element(screen.getByRole('table')).toBeVisible()
    await expect.poll(() => Math.abs(window.scrollY - left)).toBeLessThan(2)
  })

  it('has its other acts in a sheet at the lower edge', async () => {
    const screen = await open()
    await screen.getByRole('button', { name: t('actions') }).click()
    const sheet = screen.getByRole('menu', { name: t('actions') })
    await expect.element(sheet).toBeVisible()
    const { left, right, bottom } = sheet.element().getBoundingClientRect()
    expect([left, right, bottom]).toEqual([0, root.clientWidth, window.innerHeight])
    const names = ['edit', 'requestChanges', 'snooze', 'extend'] as const
    expect(
      screen
        .getByRole('menuitem')
        .elements()
        .map((e) => e.textContent),
    ).toEqual(names.map((n) => t(n)))
    await screen.getByRole('menuitem', { name: t('snooze') }).click()
    await expect.element(screen.getByRole('dialog')).toBeVisible()
  })
})

describe('a swipe', () => {
  it('to the right approves once what is of low risk, and can be undone as the button’s approval', async () => {
    const screen = await open()
    const y = middle()
    await draw([100, y], [320, y], async () => {
      await expect.poll(mark).toBe('approve')
      expect(Number.parseInt(review().querySelector('h2')?.style.translate ?? '', 10)).toBeGreaterThan(150)
      expect([box('[data-commands]').left, screen.decisions()]).toEqual([0, []])
    })
    await expect.element(screen.title(2)).toBeVisible()
    const tray = screen.getByRole('region', { name: t('undoTray') })
    await expect.element(tray).toBeVisible()
    await expect.poll(screen.decisions).toEqual([APPROVED])
    await tray.getByRole('button', { name: t('undoOne', { summary: aProposal(1).summary }) }).click()
    await expect.poll(() => screen.decisions().at(-1)?.command).toBe('undo')
  })

  it('does nothing to what is not of low risk, and says why; nor where it was not drawn far', async () => {
    const screen = await open([card(1, { risk: risk('medium') }), card(2)])
    const y = middle()
    await draw([100, y], [320, y], () => expect.poll(mark).toBe('refused'))
    await expect.element(screen.getByText(t('swipeNo.risk')).last()).toBeVisible()
    await expect.poll(mark).toBe(null)
    expect(review().querySelector('h2')?.style.translate).toBe('')
    screen.queue.replace(card(1))
    await screen.getByRole('button', { name: t('next') }).click()
    await expect.element(screen.title(2)).toBeVisible()
    await draw([100, y], [180, y], () => expect.poll(mark).toBe('approve'))
    await expect.poll(mark).toBe(null)
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.decisions()).toEqual([])
  })

  it('to the left leads on and decides nothing; at the end of the list it says so', async () => {
    const screen = await open([card(1), card(2)])
    const y = middle()
    await draw([320, y], [90, y])
    await expect.element(screen.title(2)).toBeVisible()
    await expect.poll(() => review().style.touchAction).toContain('pan-y')
    await draw([320, y], [90, y])
    await expect.element(screen.getByText(t('lastOfList'))).toBeVisible()
    await expect.element(screen.title(2)).toBeVisible()
    expect(screen.decisions()).toEqual([])
  })

  it('is none where the finger scrolls: in what is wide, from the edge, or up and down', async () => {
    const screen = await open()
    const y = middle()
    const wide = document.createElement('div')
    wide.style.cssText = 'overflow-x: auto; height: 4rem'
    wide.innerHTML = '<div style="width: 90rem; height: 3rem"></div>'
    review().prepend(wide)
    // A finger finds what scrolls where it was painted.
    await painted()
    const inside = wide.getBoundingClientRect().top + 20
    await draw([320, inside], [60, inside])
    await expect.poll(() => wide.scrollLeft).toBeGreaterThan(50)
    await draw([60, inside], [320, inside])
    wide.remove()
    await draw([6, y], [320, y])
    await draw([130, y + 60], [270, y - 200])
    await expect.poll(() => window.scrollY).toBeGreaterThan(50)
    expect(mark()).toBe(null)
    await expect.element(screen.title(1)).toBeVisible()
    expect(screen.decisions()).toEqual([])
  })
})
