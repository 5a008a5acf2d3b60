'use client'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { JobDetail } from '#contracts/job.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useGo } from '#lib/use-go.ts'
import { useRequestId } from '#lib/use-request-id.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import type { ButtonKind } from '#ui/button-class.ts'
import { Dialog } from '#ui/dialog.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { SelectField, TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { canRequestAgain, questionAlone } from '../verdict.ts'

const ACTIVE = agentMachine.events.activate.to

/** The owner's button for a research job, with its form; the job comes through the Inbox. */
export function RequestJob() {
  const t = useTranslations('jobs')
  const no = useRight('job.submit')
  const [open, setOpen] = useState(false)
  useAction({
    id: 'jobs.new',
    label: t('newJob'),
    keys: 'n',
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button
        kind="primary"
        keys="n"
        icon={<Plus className="size-4" aria-hidden />}
        disabledReason={no}
        onClick={() => setOpen(true)}
      >
        {t('newJob')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('newJob')} description={t('newJobHint')}>
        <RequestForm close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

/** Asks once more what a finished or refused research job asked, to be looked over first. */
export function RequestJobAgain({ job, kind = 'secondary' }: { job: JobDetail; kind?: ButtonKind }) {
  const t = useTranslations('jobs')
  const no = useRight('job.submit')
  const [open, setOpen] = useState(false)
  const query = canRequestAgain(job) ? questionAlone(job.payload) : null
  // `r` requeues a job that has failed.
  const keys = job.failure_kind ? 'n' : 'r'
  useAction(
    query === null
      ? null
      : {
          id: 'jobs.again',
          label: t('again'),
          keys,
          group: t('title'),
          run: () => setOpen(true),
          ...(no ? { disabledReason: no } : {}),
        },
  )
  if (query === null) return null
  return (
    <>
      <Button kind={kind} keys={keys} disabledReason={no} onClick={() => setOpen(true)}>
        {t('again')}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t('again')} description={t('newJobHint')}>
        <RequestForm close={() => setOpen(false)} from={{ query, agent: job.agent_slug }} />
      </Dialog>
    </>
  )
}

type FormProps = { close: () => void; from?: { query: string; agent: string } }

function RequestForm({ close, from }: FormProps) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const go = useGo()
  const agents = useQuery(trpc.agents.list.queryOptions({ status: ACTIVE })).data?.items
  const draft = useDraft(from ? 'job:again' : 'job:new', from ?? { query: '', agent: '' })
  const { query } = draft.values
  const wanted = draft.values.agent || agents?.[0]?.slug
  const agent = agents?.find(({ slug }) => slug === wanted)?.slug ?? ''
  // Nobody else's work is given to an agent that was not chosen.
  const inactive = agents && agent === '' ? wanted : undefined
  // The same form sent twice is the same job.
  const job = useRequestId()
  const request = useToastMutation(
    trpc.jobs.submit.mutationOptions({
      onSuccess: ({ job_id }) => {
        draft.clear()
        close()
        go(`/jobs/${job_id}`)
      },
      onError: job.refused,
    }),
    { done: () => t('newJobDone') },
  )
  const ready = query.trim().length > 0 && agent !== ''
  const submit = () => {
    if (!ready || request.isPending) return
    request.mutate({
      job_id: job.id,
      job_type: 'RESEARCH',
      agent_slug: agent,
      payload: { query: query.trim() },
    })
  }
  if (agents?.length === 0) return <p className="text-ink-2">{t('noActiveAgents')}</p>
  return (
    <Form onSubmit={submit}>
      <DraftNote draft={draft} />
      <TextArea
        label={t('question')}
        value={query}
        onChange={(text) => draft.set('query', text)}
        rows={4}
        autoFocus
        required
        maxLength={8_000}
      />
      <SelectField
        label={t('agent')}
        hint={t('newJobAgentHint')}
        error={inactive && t('agentInactive', { agent: inactive })}
        value={agent}
        onChange={(slug) => draft.set('agent', slug)}
        options={[
          ...(inactive ? [{ value: '', label: t('chooseAgent'), disabled: true }] : []),
          ...(agents?.map(({ slug, name }) => ({ value: slug, label: name })) ?? []),
        ]}
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={request.isPending} disabled={!ready}>
          {t('newJobSubmit')}
        </Button>
      </div>
    </Form>
  )
}
