'use client'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { markdown } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'

export type TextEditorProps = {
  /** What it is, for a screen reader. */
  label: string
  /** The text that it opens with. */
  text: string
  markdown?: boolean
  /** Told once it is there and has the focus. */
  onOpen?: () => void
  onChange: (text: string) => void
  /** Esc. Tab leaves the editor as it leaves every field. */
  onLeave: () => void
}

const THEME = EditorView.theme({
  '&': { color: 'var(--color-ink)', backgroundColor: 'var(--color-surface)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--color-focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5rem' },
  '.cm-content': { caretColor: 'var(--color-ink)' },
  '.cm-gutters': {
    color: 'var(--color-ink-3)',
    backgroundColor: 'var(--color-sunken)',
    border: 'none',
  },
  '.cm-cursor': { borderLeftColor: 'var(--color-ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--color-selected)',
  },
})

const WORDS = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.link, tags.url], color: 'var(--color-accent)' },
  { tag: [tags.processingInstruction, tags.meta, tags.monospace], color: 'var(--color-ink-3)' },
])

/** The page's own styles carry a nonce; so must those of the editor. */
const nonce = (): string =>
  document.querySelector<HTMLElement>('script[nonce], style[nonce], link[nonce]')?.nonce ?? ''

/** A text in an editor of its own, with lines, history and the keys of Markdown. It takes the focus when it opens. */
export function TextEditor({
  label,
  text,
  markdown: isMarkdown = false,
  onOpen,
  onChange,
  onLeave,
}: TextEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const start = useRef({ label, text, isMarkdown })
  const events = useRef({ onOpen, onChange, onLeave })
  useEffect(() => {
    events.current = { onOpen, onChange, onLeave }
  })
  useEffect(() => {
    if (!place.current) return
    const { label, text, isMarkdown } = start.current
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          history(),
          keymap.of([
            { key: 'Escape', run: () => leave(events.current) },
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          EditorView.lineWrapping,
          isMarkdown ? markdown() : [],
          syntaxHighlighting(WORDS),
          THEME,
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'true' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) events.current.onChange(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.focus()
    events.current.onOpen?.()
    return () => view.destroy()
  }, [])
  return <div ref={place} className="overflow-hidden rounded border border-line" />
}

function leave(events: Pick<TextEditorProps, 'onLeave'>): true {
  events.onLeave()
  return true
}
