'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem, ProposalView } from '#contracts/proposal.contract.ts'
import { CHANGE_REQUEST } from '#domain/proposal/change-request.rules.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Checkbox, TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import type { ChangeDraft } from '../hooks/use-change-draft.ts'

type Props = {
  proposal: ProposalView
  draft: ChangeDraft
  /** Told once the request was sent: the proposal waits for its agent now. */
  sent: (proposal: ProposalItem) => void
}

/** Sends what was written on the lines of a proposal to its agent, once, with a note; says at once where nobody could answer. */
export function RequestChanges({ proposal, draft, sent }: Props) {
  const t = useTranslations('proposals')
  const frame = useRef<HTMLElement>(null)
  const answerer = useAnswerer(proposal.proposal_id)
  const agent = proposal.agent ?? ''
  const send = useSend(draft, agent, sent)
  const no = useObstacle(draft, answerer.problem)
  const { isAsked } = draft
  useEffect(() => {
    if (isAsked) frame.current?.querySelector('textarea')?.focus()
  }, [isAsked])
  return (
    <section
      ref={frame}
      aria-label={t('requestChanges')}
      className="my-4 rounded border border-line bg-accent-soft px-4 py-3"
    >
      <Form onSubmit={() => no === undefined && !send.isPending && send.mutate(draft.input())}>
        <p role="status" className="font-medium">
          {t('changesSummary', { comments: draft.comments.length, files: draft.files })}
        </p>
        {answerer.problem && answerer.problem !== 'no_agent' ? (
          <p role="alert" className="mt-1 text-failed">
            {t(`changesProblem.${answerer.problem}`, { agent })}
          </p>
        ) : (
          <p className="mt-1 text-sm text-ink-2">{t('changesHint')}</p>
        )}
        <div className="mt-3 space-y-3">
          <TextArea
            label={t('changesNote')}
            value={draft.values.note}
            onChange={(value) => draft.setValue('note', value)}
            maxLength={CHANGE_REQUEST.note}
            rows={2}
          />
          {answerer.siblings > 0 ? (
            <Checkbox
              label={t('changesSiblings', { count: answerer.siblings })}
              checked={draft.values.siblings === 'yes'}
              onChange={(checked) => draft.setValue('siblings', checked ? 'yes' : '')}
            />
          ) : null}
        </div>
        <div className="mt-3 flex flex-wrap justify-end gap-2">
          <Button kind="quiet" onClick={draft.discard}>
            {t('changesDiscard')}
          </Button>
          <Button kind="primary" type="submit" busy={send.isPending} disabledReason={no}>
            {t('changesSend', { agent })}
          </Button>
        </div>
      </Form>
    </section>
  )
}

function useAnswerer(proposal_id: string) {
  const view = useQuery(useTRPC().proposals.changeRequest.queryOptions({ proposal_id })).data
  return { problem: view?.answerer.problem ?? null, siblings: view?.siblings ?? 0 }
}

function useSend(draft: ChangeDraft, agent: string, sent: Props['sent']) {
  const t = useTranslations('proposals')
  const { requestChanges } = useTRPC().proposals
  const onSuccess = ({ proposal }: { proposal: ProposalItem }) => {
    draft.discard()
    sent(proposal)
  }
  return useToastMutation(requestChanges.mutationOptions({ onSuccess }), {
    done: () => t('changesSent', { agent }),
  })
}

/** Why it cannot be sent now. */
function useObstacle(draft: ChangeDraft, problem: ReturnType<typeof useAnswerer>['problem']) {
  const t = useTranslations('proposals')
  const denied = useRight('proposal.decide')
  if (denied) return denied
  if (problem) return t(`changesProblem.${problem}`, { agent: '' })
  if (draft.isEmpty) return t('changesNothing')
  return draft.excess > 0 ? t('changesTooLong', { left: draft.excess }) : undefined
}
