'use client'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AgentDetail } from '#contracts/agent.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { newId } from '#lib/new-id.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { fieldsOf, newDefinition, raised } from '../definition-text.ts'
import { DefinitionForm } from './definition-form.tsx'
import { ProblemList, useDefinitionCheck } from './definition-problems.tsx'

type Edited = Pick<AgentDetail, 'slug' | 'name'> & { source: NonNullable<AgentDetail['source']> }

/** The button that proposes a new agent, or an edit of one: through the Inbox, decided afterwards. */
export function DefineAgent({ agent }: { agent?: Edited }) {
  const t = useTranslations('agents')
  const no = useRight('inbox.submit')
  const [open, setOpen] = useState(false)
  const label = agent ? t('editDefinition') : t('newAgent')
  const keys = agent ? 'e' : 'n'
  useAction({
    id: 'agents.define',
    label,
    keys,
    group: t('title'),
    run: () => setOpen(true),
    ...(no ? { disabledReason: no } : {}),
  })
  return (
    <>
      <Button
        kind={agent ? 'secondary' : 'primary'}
        keys={keys}
        disabledReason={no}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        width="lg"
        title={agent ? t('editTitle', { name: agent.name }) : t('newAgent')}
        description={t('defineHint')}
      >
        <Editor {...(agent ? { agent } : {})} close={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

const today = () => new Date().toISOString().slice(0, 10)

function Editor({ agent, close }: { agent?: Edited; close: () => void }) {
  const t = useTranslations('agents')
  const [view, setView] = useState('form')
  const draft = useDraft(agent ? 'definition' : 'agent', {
    text: agent ? raised(agent.source.text, today()) : newDefinition(today()),
    // An edit stays bound to the text it was made of: the server refuses it once the file has changed.
    base: agent?.source.sha256 ?? '',
  })
  const { text, base } = draft.values
  const slug = agent?.slug ?? fieldsOf(text).slug
  const check = useDefinitionCheck({ slug, text, create: !agent })
  const submit = useSubmit({ create: !agent, slug, text, base }, () => {
    draft.clear()
    close()
  })
  const missing = slug === '' ? t('addSlug') : check.errors > 0 ? t('fixErrors') : undefined
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!missing && !submit.busy) submit.send()
      }}
    >
      <DraftNote draft={draft} />
      <Tabs
        label={t('definition')}
        value={view}
        onChange={setView}
        tabs={[
          { id: 'form', label: t('form') },
          { id: 'source', label: t('source') },
        ]}
      >
        {view === 'form' ? (
          <DefinitionForm text={text} onChange={(next) => draft.set('text', next)} create={!agent} />
        ) : (
          <TextArea
            label="_agent.md"
            value={text}
            onChange={(next) => draft.set('text', next)}
            rows={18}
            mono
            required
          />
        )}
      </Tabs>
      <ProblemList check={check} />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={submit.busy} disabledReason={missing}>
          {t('propose')}
        </Button>
      </div>
    </form>
  )
}

type Proposed = { create: boolean; slug: string; text: string; base: string }

/** Proposes the definition and goes to the proposal. */
function useSubmit({ create, slug, text, base }: Proposed, done: () => void) {
  const t = useTranslations('agents')
  const trpc = useTRPC()
  const router = useRouter()
  const [token] = useState(newId)
  const submit = useToastMutation(
    trpc.inbox.submit.mutationOptions({
      onSuccess: (answer) => {
        done()
        if (answer.resolution?.kind === 'proposal') router.push(`/proposals/${answer.resolution.id}`)
      },
    }),
    { done: () => t('proposed') },
  )
  const whole = text.endsWith('\n') ? text : `${text}\n`
  const payload = create
    ? { kind: 'note', text: whole, summary: `Create agent ${slug}` }
    : { diff: { type: 'replace', text: whole }, base_hash: base, summary: `Edit agent ${slug}` }
  const send = () =>
    submit.mutate({
      intent: {
        action: create ? 'propose-note' : 'propose-edit',
        target: `agents/${slug}/_agent.md`,
        payload,
      },
      // A text that was refused and corrected is another request.
      metadata: { correlation_id: `${token}.${whole.length}.${checksum(whole)}` },
    })
  return { send, busy: submit.isPending }
}

/** A short sum over the text (FNV-1a), only to tell one attempt from the next. */
function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return (sum >>> 0).toString(36)
}
