'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useSubmitEntry } from '#features/inbox/index.ts'
import { useDraft } from '#lib/use-draft.ts'
import { Button } from '#ui/button.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { fieldsOf, newDefinition, raised } from '../definition-text.ts'
import type { Edited } from './definition-dialog.tsx'
import { DefinitionForm } from './definition-form.tsx'
import { ProblemList, useDefinitionCheck } from './definition-problems.tsx'

const today = () => new Date().toISOString().slice(0, 10)

/** The definition of an agent, as a form or as its source. */
export function DefinitionEditor({ agent, close }: { agent?: Edited; close: () => void }) {
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
  const entry = useSubmitEntry(draft, close)
  const missing = slug === '' ? t('addSlug') : check.errors > 0 ? t('fixErrors') : undefined
  return (
    <Form
      onSubmit={() => {
        if (!missing) entry.submit(intentOf({ create: !agent, slug, text, base }))
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
        <Button kind="primary" type="submit" busy={entry.busy} disabledReason={missing}>
          {t('propose')}
        </Button>
      </div>
    </Form>
  )
}

type Proposed = { create: boolean; slug: string; text: string; base: string }

function intentOf({ create, slug, text, base }: Proposed) {
  const target = `agents/${slug}/_agent.md`
  const whole = text.endsWith('\n') ? text : `${text}\n`
  return create
    ? {
        action: 'propose-note' as const,
        target,
        payload: { kind: 'note', text: whole, summary: `Create agent ${slug}` },
      }
    : {
        action: 'propose-edit' as const,
        target,
        payload: { diff: { type: 'replace', text: whole }, base_hash: base, summary: `Edit agent ${slug}` },
      }
}
