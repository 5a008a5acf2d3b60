'use client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import type { BatchAnswer, BatchInput, BatchPreview } from '#contracts/proposal-batch.contract.ts'
import type { Decision } from '#domain/proposal/batch.rules.ts'
import { onDemand } from '#lib/on-demand.tsx'
import { useTRPC, useTRPCClient } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'
import type { Stated } from '../components/batch-sheet.tsx'
import type { Outcome } from '../sitting.ts'
import { noteOutcome } from './use-sitting.ts'

const BatchSheet = onDemand(() => import('../components/batch-sheet.tsx').then((m) => m.BatchSheet))
const BatchOutcome = onDemand(() => import('../components/batch-outcome.tsx').then((m) => m.BatchOutcome))

/** The frozen set that is to be decided. `digests` are of what was on screen, where it was; without them those of the preview bind. */
export type Asked = {
  status: Decision
  ids: readonly string[]
  digests?: Readonly<Record<string, string>>
  /** Told once it is decided: what is left undecided. */
  decided?: (left: readonly string[]) => void
}
export type Batch = {
  request: (asked: Asked) => void
  /** The sheet is on its way. */
  busy: boolean
  /** The sheet, then what became of each where some could not be decided. */
  dialogs: ReactNode
}

const OUTCOME_OF = { APPROVED: 'approved', REJECTED: 'rejected' } as const satisfies Record<Decision, Outcome>

type Open = { asked: Asked; preview: BatchPreview }
type Given = {
  rows: readonly ProposalItem[]
  /** Told what each proposal became, for the list. */
  decided: (proposal: ProposalItem) => void
  /** Told once which ones are decided: the one under review may be among them. */
  moveOn: (decided: ReadonlySet<string>) => void
}

/** Decides several at once, in two steps: a sheet shows the frozen set and what it does, then exactly that set is sent. */
export function useBatch({ rows, decided, moveOn }: Given): Batch {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const queries = useQueryClient()
  const client = useTRPCClient()
  const [open, setOpen] = useState<Open | null>(null)
  const [outcome, setOutcome] = useState<{ answer: BatchAnswer; preview: BatchPreview } | null>(null)
  const send = useToastMutation(trpc.proposals.batch.mutationOptions(), {
    onFault: () => true,
    done: ({ updated, errors }, { status }) =>
      errors.length > 0 ? null : t(`batch.${status as Decision}.done`, { count: updated }),
  })
  const look = useToastMutation({
    mutationFn: async (asked: Asked) => {
      const input = { proposal_ids: [...asked.ids], status: asked.status }
      const context = { longInput: true }
      return { asked, preview: await client.proposals.batchPreview.query(input, { context }) }
    },
    onSuccess: setOpen,
  })
  const decide = async (stated: Stated) => {
    if (!open) return
    const { asked, preview } = open
    const answer = await send.mutateAsync({ ...inputOf(open), ...stated })
    note(answer)
    const failed = answer.errors.map(({ proposal_id }) => proposal_id)
    const excluded = preview.excluded.map(({ proposal_id }) => proposal_id)
    asked.decided?.([...failed, ...excluded])
    if (failed.length > 0) setOutcome({ answer, preview })
  }
  const note = ({ results }: BatchAnswer) => {
    const updated = results.flatMap((one) => (one.outcome === 'updated' ? [one] : []))
    for (const { proposal_id, status } of updated) {
      noteOutcome(proposal_id, OUTCOME_OF[status as Decision])
      const row = rows.find((one) => one.proposal_id === proposal_id)
      if (row) decided({ ...row, status, commands: [] })
    }
    moveOn(new Set(updated.map(({ proposal_id }) => proposal_id)))
    // The tray counts what is held from what the server says.
    void queries.invalidateQueries(trpc.proposals.pathFilter())
  }
  return {
    request: (asked) => look.mutate(asked),
    busy: look.isPending,
    dialogs: (
      <>
        {open ? (
          <DialogOnDemand onClose={() => setOpen(null)}>
            <BatchSheet preview={open.preview} decide={decide} close={() => setOpen(null)} />
          </DialogOnDemand>
        ) : null}
        {/* After the sheet has given the focus back: what opened it takes it again at the end. */}
        {outcome && !open ? (
          <DialogOnDemand onClose={() => setOutcome(null)}>
            <BatchOutcome {...outcome} close={() => setOutcome(null)} />
          </DialogOnDemand>
        ) : null}
      </>
    ),
  }
}

/** What is sent: exactly what the sheet shows, an approval with the digests of what was looked at. */
function inputOf({ asked: { digests = {} }, preview: { status, proposals } }: Open): BatchInput {
  const proposal_ids = proposals.map(({ proposal_id }) => proposal_id)
  if (status === 'REJECTED') return { proposal_ids, status }
  const seen = proposals.map(({ proposal_id: id, review_digest }) => [id, digests[id] ?? review_digest])
  return { proposal_ids, status, review_digests: Object.fromEntries(seen) }
}
