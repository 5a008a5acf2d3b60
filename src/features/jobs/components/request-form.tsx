'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useGoOn } from '#lib/use-go-on.ts'
import { useRequestId } from '#lib/use-request-id.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { SelectField, TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'

const ACTIVE = agentMachine.events.activate.to

type FormProps = { close: () => void; from?: { query: string; agent: string } }

/** Asks what is to be researched and by whom; `from` is a job to ask again. */
export function RequestForm({ close, from }: FormProps) {
  const t = useTranslations('jobs')
  const trpc = useTRPC()
  const goOn = useGoOn()
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
      onMutate: goOn.begin,
      onSuccess: ({ job_id }) => {
        draft.clear()
        close()
        goOn.to(`/jobs/${job_id}`, t('newJobDone'))
      },
      onError: job.refused,
    }),
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
