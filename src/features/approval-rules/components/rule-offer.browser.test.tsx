import { expect, it } from 'vitest'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { expectAccessible } from '#lib/testing/expect-accessible.ts'
import { renderInConsole } from '#lib/testing/render-in-console.tsx'
import { textsOf } from '#lib/testing/texts.ts'
import { useRuleOffer } from '../use-rule-offer.ts'
import { RuleOffer } from './rule-offer.tsx'

const t = textsOf('approvalRules')
const decided = (n: number, more: Partial<ProposalItem> = {}) =>
  ({
    proposal_id: `prop_${n}`,
    status: 'APPROVED',
    agent: 'gardener',
    action: 'propose-tag',
    target: { type: 'note', path: `notes/Log/${n}.md` },
    source: { tainted: false },
    ...more,
  }) as ProposalItem

/** Each button is one decision. */
function Desk({ decisions }: { decisions: readonly ProposalItem[] }) {
  const { alike, saw, dismiss } = useRuleOffer()
  return (
    <>
      <RuleOffer alike={alike} onDismiss={dismiss} />
      {decisions.map((p, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed and one proposal may stand in it twice
        <button key={n} type="button" onClick={() => saw(p)}>{`Decide ${n + 1}`}</button>
      ))}
    </>
  )
}

const five = [1, 2, 3, 4, 5].map((n) => decided(n))
it.each<[string, ProposalItem[], boolean]>([
  ['five alike', five, true],
  ['one of them twice', [...five.slice(0, 4), decided(4)], false],
  [
    'another folder among them',
    [...five.slice(0, 4), decided(5, { target: { type: 'note', path: 'notes/a.md' } })],
    false,
  ],
  [
    'a rejection among them',
    [...five.slice(0, 2), decided(9, { status: 'REJECTED' }), ...five.slice(2)],
    false,
  ],
  ['the owner’s own', five.map((p) => ({ ...p, agent: null })), false],
  ['tainted ones', five.map((p) => ({ ...p, source: { ...p.source, tainted: true } })), false],
])('is made after %s: %#', async (_, decisions, made) => {
  const screen = await renderInConsole(<Desk decisions={decisions} />)
  for (const n of decisions.keys())
    await screen.getByRole('button', { name: `Decide ${n + 1}`, exact: true }).click()
  const link = screen.getByRole('link', { name: t('makeRule') })
  if (!made) return expect(link.query()).toBeNull()
  await expect
    .element(link)
    .toHaveAttribute('href', '/settings?rule=new&agent=gardener&action=propose-tag&path=notes%2FLog%2F')
  await expectAccessible()
  await screen.getByRole('button', { name: t('dismiss') }).click()
  await expect.element(link).not.toBeInTheDocument()
})
