/** The list of proposals as one decides in it: its rows, what was asked of the server, and the tray of what can be undone. */
import { expect, onTestFinished, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { systemOf } from '#lib/testing/system-answers.ts'
import { textsOf } from '#lib/testing/texts.ts'
import { DecisionTray } from '../components/decision-tray.tsx'
import { ProposalsPage } from '../components/proposals-page.tsx'
import { reviewQueue } from './procedures.ts'
import { aProposal } from './proposals.ts'

const t = textsOf('proposals')
/** So many proposals, all of them waiting. */
export const many = (n: number) => Array.from({ length: n }, (_, i) => aProposal(i + 1))

type Options = {
  at?: string
  role?: 'owner' | 'operator'
  /** How much needs the reader beside proposals. */
  needs?: number
}

/** The page of proposals over a queue, with the tray of what can be undone. */
export async function openQueue(
  proposals = many(3),
  { at = '/proposals', role = 'owner', needs = 0 }: Options = {},
) {
  const queue = reviewQueue(proposals)
  const screen = await renderInConsole(<ProposalsPage />, {
    procedures: { ...queue.procedures, system: systemOf({ needs }) },
    at,
    role,
    tray: <DecisionTray />,
  })
  const row = (n: number) => screen.getByRole('row').filter({ hasText: aProposal(n).summary })
  await expect.element(screen.getByRole('row').last()).toBeVisible()
  const title = (n: number) => screen.getByRole('heading', { name: aProposal(n).summary })
  const decisions = () => queue.asked.filter(({ command }) => command !== 'markSeen')
  const tray = screen.getByRole('region', { name: t('undoTray') })
  return { ...screen, queue, row, title, decisions, tray }
}

/** Approves one after the other, each looked at for a second. */
export async function approveUpTo(
  last: number,
  { title }: Pick<Awaited<ReturnType<typeof openQueue>>, 'title'>,
) {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let n = 1; n <= last; n++) {
    await expect.element(title(n)).toBeVisible()
    vi.advanceTimersByTime(1_000)
    await userEvent.keyboard('a')
  }
}
