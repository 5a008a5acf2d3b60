'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { REASON } from '#domain/job/job.rules.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useGoOn } from '#lib/use-go-on.ts'
import { useRequestId } from '#lib/use-request-id.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { questionAlone } from '../verdict.ts'

const ACTIVE = agentMachine.events.activate.to

/** Asks why, and for a question that may be changed; a payload of other parts is replayed as it is. */
export function ReplayForm({ job, close }: { job: JobDetail; close: () => void }) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const asked = questionAlone(job.payload)
  const draft = useDraft(`replay:${job.job_id}`, { query: asked ?? '', reason: '' })
  const { values } = draft
  const active = useQuery(trpc.agents.list.queryOptions({ status: ACTIVE })).data?.items
  const waits = active && !active.some(({ slug }) => slug === job.agent_slug)
  const [query, reason] = [values.query.trim(), values.reason.trim()]
  const changed = asked !== null && query !== asked
  // The same form sent twice is the same job.
  const request = useRequestId()
  const replay = useToastMutation(
    trpc.jobs.replay.mutationOptions({
      onMutate: goOn.begin,
      onSuccess: ({ job_id }) => {
        draft.clear()
        close()
        goOn.to(`/jobs/${job_id}`, t('replay.started'))
      },
      onError: request.refused,
    }),
  )
  const ready = [...reason].length >= REASON.min && (asked === null || query.length > 0)
  const submit = () => {
    if (!ready || replay.isPending) return
    replay.mutate({
      job_id: job.job_id,
      reason,
      replay_id: request.id,
      ...(changed ? { payload: { query } } : {}),
    })
  }
  return (
    <Form onSubmit={submit}>
      <DraftNote draft={draft} />
      {asked === null ? null : (
        <TextArea
          label={t('question')}
          hint={changed ? t('replay.changed') : undefined}
          value={values.query}
          onChange={(text) => draft.set('query', text)}
          rows={3}
          required
          maxLength={8_000}
        />
      )}
      <TextArea
        label={t('replay.reason')}
        value={values.reason}
        onChange={(text) => draft.set('reason', text)}
        rows={2}
        autoFocus
        required
        maxLength={REASON.max}
      />
      {waits ? (
        <p className="mt-2 text-sm text-waiting">{t('replay.inactive', { agent: job.agent_slug })}</p>
      ) : null}
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={replay.isPending} disabled={!ready}>
          {t('replay.act')}
        </Button>
      </div>
    </Form>
  )
}
