'use client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import type { BatchAnswer, BatchPreview } from '#contracts/proposal-batch.contract.ts'
import type { Decision } from '#domain/proposal/batch.rules.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { BatchOutcome } from '../components/batch-outcome.tsx'
import { BatchSheet, type Stated } from '../components/batch-sheet.tsx'

/** The frozen set that is to be decided. `digests` are of what was on screen, where it was; without them the sheet's own bind. */
export type Asked = {
  status: Decision
  ids: readonly string[]
  digests?: Readonly<Record<string, string>>
  /** Told once it is decided: what is left undecided. */
  decided?: (left: readonly string[]) => void
}
export type Batch = {
  request: (asked: Asked) => void
  /** The sheet, then what became of each where some could not be decided. */
  dialogs: ReactNode
}

type Given = {
  rows: readonly ProposalItem[]
  /** Told what each proposal became, for the list. */
  decided: (proposal: ProposalItem) => void
}

/** Decides several at once, in two steps: a sheet shows the frozen set and what it does, then exactly that set is sent. */
export function useBatch({ rows, decided }: Given): Batch {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const [asked, setAsked] = useState<Asked | null>(null)
  const [outcome, setOutcome] = useState<{ answer: BatchAnswer; preview: BatchPreview } | null>(null)
  const send = useToastMutation(trpc.proposals.batch.mutationOptions(), {
    onFault: () => true,
    done: ({ updated, errors }, { status }) =>
      errors.length > 0 ? null : t(`batch.${status as Decision}.done`, { count: updated }),
  })
  const decide = async (preview: BatchPreview, stated: Stated) => {
    const { status } = preview
    const proposal_ids = preview.proposals.map(({ proposal_id }) => proposal_id)
    const review_digests = Object.fromEntries(
      preview.proposals.map(({ proposal_id: id, review_digest }) => [
        id,
        asked?.digests?.[id] ?? review_digest,
      ]),
    )
    const answer = await send.mutateAsync({
      proposal_ids,
      status,
      ...stated,
      ...(status === 'APPROVED' ? { review_digests } : {}),
    })
    note(answer)
    const failed = answer.errors.map(({ proposal_id }) => proposal_id)
    const excluded = preview.excluded.map(({ proposal_id }) => proposal_id)
    asked?.decided?.([...failed, ...excluded])
    if (failed.length > 0) setOutcome({ answer, preview })
  }
  const note = ({ results }: BatchAnswer) => {
    for (const result of results) {
      const row = rows.find(({ proposal_id }) => proposal_id === result.proposal_id)
      if (row && result.outcome === 'updated') decided({ ...row, status: result.status, commands: [] })
    }
    // The tray counts what is held from what the server says.
    void queries.invalidateQueries(trpc.proposals.pathFilter())
  }
  return {
    request: setAsked,
    dialogs: (
      <>
        {asked ? <BatchSheet asked={asked} decide={decide} close={() => setAsked(null)} /> : null}
        {outcome ? <BatchOutcome {...outcome} close={() => setOutcome(null)} /> : null}
      </>
    ),
  }
}
