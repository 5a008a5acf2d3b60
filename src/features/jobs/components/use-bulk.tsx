'use client'
import { type ReactNode, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobAction, JobBulkFilter, JobBulkPreview, JobBulkResult } from '#contracts/job.contract.ts'
import { onDemand } from '#lib/on-demand.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { DialogOnDemand } from '#ui/dialog-on-demand.tsx'

const BulkPreview = onDemand(() => import('./bulk-preview.tsx').then((m) => m.BulkPreview))
const BulkOutcome = onDemand(() => import('./bulk-outcome.tsx').then((m) => m.BulkOutcome))

type Bulk = {
  /** Previews the action on what the filter matches, and asks. */
  start: (action: JobAction, filter: JobBulkFilter) => void
  busy: boolean
  /** The dialogs: the preview, then what became of each job where some were skipped. */
  dialogs: ReactNode
}

/**
 * A bulk command in two requests: the preview freezes the set, the execution touches exactly that set. `done` is told the result, also
 * when nothing was changed.
 */
export function useBulk(done?: (result: JobBulkResult) => void): Bulk {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const [shown, setShown] = useState<JobBulkPreview | null>(null)
  const [outcome, setOutcome] = useState<JobBulkResult | null>(null)
  const [titles, setTitles] = useState<ReadonlyMap<string, string>>(new Map())
  const preview = useToastMutation(
    trpc.jobs.bulkPreview.mutationOptions({
      onSuccess: (found) => {
        setTitles(new Map(found.sample.map(({ job_id, title }) => [job_id, title])))
        setShown(found)
      },
    }),
  )
  const execute = useToastMutation(
    trpc.jobs.bulkExecute.mutationOptions({
      onSuccess: (result) => {
        done?.(result)
        if (result.skipped.length > 0) setOutcome(result)
      },
    }),
    {
      onFault: () => true,
      done: (r) => (r.skipped.length > 0 ? null : t(`bulk.${r.action}.done`, { count: r.done })),
    },
  )
  return {
    start: (action, filter) => preview.mutate({ action, filter }),
    busy: preview.isPending,
    dialogs: (
      <>
        {shown ? (
          <DialogOnDemand onClose={() => setShown(null)}>
            <BulkPreview preview={shown} execute={execute.mutateAsync} close={() => setShown(null)} />
          </DialogOnDemand>
        ) : null}
        {outcome && !shown ? (
          <DialogOnDemand onClose={() => setOutcome(null)}>
            <BulkOutcome result={outcome} titles={titles} close={() => setOutcome(null)} />
          </DialogOnDemand>
        ) : null}
      </>
    ),
  }
}
