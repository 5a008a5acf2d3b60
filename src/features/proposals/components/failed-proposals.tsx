'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Confirm } from '#ui/confirm.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { useFailureText } from '../hooks/use-failure-text.ts'
import { FAILED } from '../input.ts'

/** Approvals that could not be applied, each with its reason and what can be done: nothing happens to them until somebody decides. */
export function FailedProposals() {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const failed = useQuery(trpc.proposals.list.queryOptions(FAILED))
  useLiveQueries(['proposal.status.changed'], trpc.proposals.list.queryFilter(FAILED), POLL_MS.slow)
  const items = failed.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Section title={t('failedToApply')} actions={<Link href="/proposals?tab=failed">{t('failedAll')}</Link>}>
      <ul className="divide-y divide-line">
        {items.map((p) => (
          <li key={p.proposal_id}>
            <Failed proposal={p} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Failed({ proposal: p }: { proposal: ProposalItem }) {
  const t = useTranslations('proposals')
  const reason = useFailureText()
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-2.5">
      <div className="min-w-0 flex-1 basis-64">
        <Link quiet href={`/proposals/${p.proposal_id}`} className="block truncate font-semibold">
          {p.summary}
        </Link>
        <p className="text-sm text-failed first-letter:uppercase">{reason(p)}</p>
        <p className="truncate font-mono text-sm text-ink-3">{p.target.path}</p>
      </div>
      <span className="flex flex-wrap items-center gap-2">
        <FailedCommands proposal={p} />
        <Link href={`/proposals/${p.proposal_id}`} className={buttonClass('secondary', 'sm')}>
          {t('open')}
        </Link>
      </span>
    </div>
  )
}

function FailedCommands({ proposal: p }: { proposal: ProposalItem }) {
  const t = useTranslations('proposals')
  const { proposals } = useTRPC()
  const [discarding, setDiscarding] = useState(false)
  const decide = useRight('proposal.decide')
  const id = { proposal_id: p.proposal_id }
  const onSuccess = useReadAgain()
  const retry = useToastMutation(proposals.retry.mutationOptions({ onSuccess }), { done: () => t('retried') })
  const discard = useToastMutation(proposals.discard.mutationOptions({ onSuccess }), {
    done: () => t('discarded'),
  })
  return (
    <>
      {p.commands.includes('retry') ? (
        <Button size="sm" busy={retry.isPending} onClick={() => retry.mutate(id)}>
          {t('retry')}
        </Button>
      ) : null}
      {p.commands.includes('discard') ? (
        <Button size="sm" disabledReason={decide} onClick={() => setDiscarding(true)}>
          {t('discard')}
        </Button>
      ) : null}
      <Confirm
        open={discarding}
        onClose={() => setDiscarding(false)}
        title={t('discardTitle')}
        description={t('discardHint')}
        confirmLabel={t('discard')}
        dismissLabel={t('keep')}
        onConfirm={() => discard.mutateAsync(id)}
      >
        {p.summary}
      </Confirm>
    </>
  )
}

/** Lists and counts, so that what was just decided stands nowhere as if it were not. */
function useReadAgain() {
  const queries = useQueryClient()
  const { proposals, system } = useTRPC()
  return () => {
    void queries.invalidateQueries(proposals.pathFilter())
    void queries.invalidateQueries(system.counts.pathFilter())
  }
}
