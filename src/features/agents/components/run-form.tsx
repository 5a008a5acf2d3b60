'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { PARAM_CHARS } from '#domain/run/run.rules.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useGoOn } from '#lib/use-go-on.ts'
import { useRequestId } from '#lib/use-request-id.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { Checkbox, TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { hasTasks } from '../definition-text.ts'
import type { Runnable } from './run-agent.tsx'

/** The input of a run, and its priority. */
export function RunForm({ agent, close }: { agent: Runnable; close: () => void }) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const goOn = useGoOn()
  const needs = agent.tools.includes('notebooklm-query')
  const takes = needs || !hasTasks(agent.model)
  const draft = useDraft(`run:${agent.slug}`, { question: '' })
  const { question } = draft.values
  const [high, setHigh] = useState(false)
  const token = useRequestId()
  const request = useToastMutation(
    trpc.runs.request.mutationOptions({
      onMutate: goOn.begin,
      onSuccess: ({ run_id }) => {
        draft.clear()
        close()
        goOn.to(`/runs/${run_id}`, t('started'))
      },
      onError: token.refused,
    }),
  )
  const ready = !needs || question.trim().length > 0
  const submit = () => {
    if (!ready || request.isPending) return
    request.mutate({
      slug: agent.slug,
      params: takes && question.trim() ? { question: question.trim() } : {},
      priority: high ? 'high' : 'normal',
      correlation_id: token.id,
    })
  }
  return (
    <Form onSubmit={submit}>
      <DraftNote draft={draft} />
      {takes ? (
        <TextArea
          label={t('question')}
          hint={t(hasTasks(agent.model) ? 'questionHint' : 'questionForModel')}
          value={question}
          onChange={(text) => draft.set('question', text)}
          rows={4}
          autoFocus
          required={needs}
          maxLength={PARAM_CHARS}
        />
      ) : (
        <p className="text-ink-2">{t('noParams')}</p>
      )}
      <Checkbox label={t('high')} checked={high} onChange={setHigh} />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={request.isPending} disabled={!ready}>
          {t('run')}
        </Button>
      </div>
    </Form>
  )
}
