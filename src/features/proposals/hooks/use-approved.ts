'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ProposalItem, ProposalPage } from '#contracts/proposal.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'

const HELD = proposalMachine.events.approve.to
const MOST = 100

function useOptions() {
  return useTRPC().proposals.list.queryOptions({ status: [HELD], limit: MOST })
}

/** Keeps what `useApproved` answers up to date; once per page, in the tray. */
export function useLiveApproved(): void {
  useLiveQueries(['proposal.status.changed'], { queryKey: useOptions().queryKey }, POLL_MS.moving)
}

/** Approvals that are held before they are applied, the latest first; empty for whoever may not decide. */
export function useApproved(): readonly ProposalItem[] {
  const options = useOptions()
  const { role } = useSession()
  const { data } = useQuery({ ...options, enabled: may(role, 'proposal.decide') })
  return useMemo(() => (data?.items ?? []).filter(isHeld).sort(latestFirst), [data])
}

const isHeld = (p: ProposalItem): boolean => p.status === HELD && p.apply_not_before !== null
const latestFirst = (a: ProposalItem, b: ProposalItem): number =>
  (b.apply_not_before ?? '').localeCompare(a.apply_not_before ?? '')

/** Milliseconds in which the approval can still be taken back; 0 when it cannot. */
export function holdLeft(p: Pick<ProposalItem, 'status' | 'apply_not_before'>, now: number): number {
  if (p.status !== HELD || p.apply_not_before === null) return 0
  return Math.max(0, new Date(p.apply_not_before).getTime() - now)
}

/** Notes what a command made of a proposal, so that what is held and the lists are right before they are read again. */
export function useNoteDecision(): (decided: ProposalItem) => void {
  const queries = useQueryClient()
  const trpc = useTRPC()
  const held = useOptions().queryKey
  return (decided) => {
    void queries.cancelQueries({ queryKey: held })
    queries.setQueryData(held, (page: ProposalPage | undefined) => withItem(page, decided))
    for (const { queryKey } of queries.getQueryCache().findAll(trpc.proposals.list.infiniteQueryFilter()))
      queries.setQueryData(queryKey, (pages: Pages | undefined) => withoutLeft(pages, queryKey, decided))
    const one = { proposal_id: decided.proposal_id }
    // Who comes back to it meets its state and its commands as they are, while the rest is read again.
    queries.setQueryData(trpc.proposals.get.queryKey(one), (view) => view && { ...view, ...decided })
    void queries.invalidateQueries(trpc.proposals.get.queryFilter(one))
  }
}

function withItem(page: ProposalPage | undefined, item: ProposalItem): ProposalPage {
  const others = page?.items.filter((p) => p.proposal_id !== item.proposal_id) ?? []
  return { next_cursor: null, ...page, items: item.status === HELD ? [item, ...others] : others }
}

type Asked = { status?: readonly string[]; sort?: string }

/** Whether a list that was asked for like this still has the proposal. */
function belongsTo({ status, sort }: Asked, { status: now, snoozed_until }: ProposalItem): boolean {
  if (!status?.includes(now)) return false
  if (sort === 'snoozed') return snoozed_until !== null
  return sort !== 'to_decide' || snoozed_until === null
}

type Pages = { pages: readonly ProposalPage[] }

/** The pages of a list without the proposal, where its state no longer belongs into it. */
function withoutLeft(
  pages: Pages | undefined,
  queryKey: readonly unknown[],
  decided: ProposalItem,
): Pages | undefined {
  const asked = queryKey[1] as { input?: Asked } | undefined
  if (!pages || !asked?.input?.status || belongsTo(asked.input, decided)) return pages
  const items = (page: ProposalPage) => page.items.filter((p) => p.proposal_id !== decided.proposal_id)
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, items: items(page) })) }
}
