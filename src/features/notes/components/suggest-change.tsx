'use client'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { QUOTE_CHARS, SUGGESTION_CHARS } from '#domain/inbox/suggestion.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useDraft } from '#lib/use-draft.ts'
import { useToastMutation } from '#lib/use-toast-mutation.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { DraftNote } from '#ui/draft-note.tsx'
import { TextArea } from '#ui/fields.tsx'
import { Form } from '#ui/form.tsx'

type Props = { path: string; title: string }

/** Lets a guest suggest a change, of the selected passage or of the whole note; nothing where the zone takes none. */
export function SuggestChange(note: Props) {
  const trpc = useTRPC()
  const zone = useQuery(trpc.sessions.me.queryOptions()).data?.zone
  return <Suggest {...note} taken={zone?.suggestions ?? false} />
}

function Suggest({ path, title, taken }: Props & { taken: boolean }) {
  const t = useTranslations('notes')
  const no = useRight('note.suggest')
  const [quote, setQuote] = useState<string | null>(null)
  // A press takes the focus and the selection with it: what was selected when the pointer came down counts.
  const pressed = useRef('')
  const action = {
    id: 'notes.suggest',
    label: t('suggest'),
    keys: 's',
    group: t('title'),
    run: () => setQuote(selectedText()),
    ...(no ? { disabledReason: no } : {}),
  }
  useAction(taken ? action : null)
  const close = () => setQuote(null)
  // What is being written stays, though the zone may take no suggestions any more; the answer then says so.
  if (!taken && quote === null) return null
  return (
    <>
      <Button
        keys="s"
        disabledReason={no}
        onPointerDown={() => {
          pressed.current = selectedText()
        }}
        // A click of the keyboard has no press before it, and a detail of zero.
        onClick={({ detail }) => setQuote(detail > 0 ? pressed.current : selectedText())}
      >
        {t('suggest')}
      </Button>
      <Dialog
        open={quote !== null}
        onClose={close}
        width="lg"
        title={t('suggestTitle', { title })}
        description={t('suggestHint')}
      >
        <SuggestForm path={path} quote={quote ?? ''} close={close} />
      </Dialog>
    </>
  )
}

/** What is selected in the text of the note. */
function selectedText(): string {
  const selection = window.getSelection()
  const inside = selection?.anchorNode?.parentElement?.closest('.prose')
  const text = inside ? (selection?.toString().trim() ?? '') : ''
  // A cut leaves no half of a character of two units.
  return text.slice(0, QUOTE_CHARS).replace(/\p{Surrogate}$/u, '')
}

type FormProps = { path: string; quote: string; close: () => void }

function SuggestForm({ path, quote, close }: FormProps) {
  const t = useTranslations('notes')
  const trpc = useTRPC()
  const draft = useDraft('suggestion', { text: '' })
  const [fault, setFault] = useState<string | undefined>()
  const suggest = useToastMutation(
    trpc.inbox.suggest.mutationOptions({
      onSuccess: () => {
        draft.clear()
        close()
      },
    }),
    {
      done: () => t('suggested'),
      onFault: ({ fields }) => {
        const own = fields.find(({ field }) => field === 'text')
        setFault(own?.message)
        return own !== undefined
      },
    },
  )
  const { text } = draft.values
  const missing = text.trim() === '' ? t('suggestNeeded') : undefined
  return (
    <Form onSubmit={() => missing || suggest.isPending || suggest.mutate({ path, text, quote })}>
      <DraftNote draft={draft} />
      {quote ? (
        <blockquote className="mb-3 max-h-40 overflow-y-auto border-l-2 border-line-strong pl-3 text-sm text-ink-2">
          {quote}
        </blockquote>
      ) : null}
      <TextArea
        label={t('suggestText')}
        hint={t('suggestLength', { n: text.length, max: SUGGESTION_CHARS })}
        value={text}
        onChange={(value) => draft.set('text', value)}
        maxLength={SUGGESTION_CHARS}
        error={fault}
        rows={6}
        required
        autoFocus
      />
      <div className="mt-5 flex justify-end">
        <Button kind="primary" type="submit" busy={suggest.isPending} disabledReason={missing}>
          {t('sendSuggestion')}
        </Button>
      </div>
    </Form>
  )
}
