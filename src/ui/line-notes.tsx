'use client'
import { createContext, type KeyboardEvent, type ReactNode, useContext, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { Block, Line } from './diff-model.ts'
import { Icon } from './icon.tsx'

/** A line of a diff: one that stood there before (`base`), or of the text after (`proposed`); counted from 1. */
export type NotedLine = { side: 'base' | 'proposed'; line: number }

/** What is written about the lines of a diff; each has a button for it. */
export type LineNotes = {
  /** Asks for a comment on this line. */
  add: (at: NotedLine) => void
  /** What stands beneath the line; null where nothing does. */
  beneath: (at: NotedLine) => ReactNode
}

type Noted = LineNotes & { current: string; setCurrent: (key: string) => void }
/** Null: lines cannot be commented. */
const LineNotesContext = createContext<Noted | null>(null)

const keyOf = ({ side, line }: NotedLine): string => `${side}:${line}`

type Props = { notes: LineNotes | undefined; blocks: readonly Block[]; children: ReactNode }

/** Around the lines of a diff; the first one that changed is in the tab order until another one was reached. */
export function WithLineNotes({ notes, blocks, children }: Props) {
  const [reached, setCurrent] = useState<string | null>(null)
  const lines = blocks.flatMap((block) => (block.kind === 'hunk' ? block.lines : []))
  const first = lines.find(({ kind }) => kind !== 'same') ?? lines[0]
  const isThere = reached !== null && lines.some((line) => keyOf(placeOf(line)) === reached)
  const current = isThere ? reached : first ? keyOf(placeOf(first)) : ''
  return (
    <LineNotesContext value={notes ? { ...notes, current, setCurrent } : null}>{children}</LineNotesContext>
  )
}

export const placeOf = ({ kind, before, after }: Line): NotedLine =>
  kind === 'delete' ? { side: 'base', line: before ?? 0 } : { side: 'proposed', line: after ?? 0 }

/** The button at a line. One of them is in the tab order; the arrows go on from line to line. */
export function CommentLine({ at }: { at: NotedLine }) {
  const t = useTranslations('ui')
  const notes = useContext(LineNotesContext)
  if (!notes) return null
  return (
    <button
      type="button"
      data-comment={keyOf(at)}
      tabIndex={notes.current === keyOf(at) ? 0 : -1}
      onFocus={() => notes.setCurrent(keyOf(at))}
      aria-label={t(at.side === 'base' ? 'commentRemoved' : 'commentLine', { line: at.line })}
      onClick={() => notes.add(at)}
      onKeyDown={moveOn}
      className="absolute top-0 left-0 grid size-6 place-items-center rounded text-ink-3 opacity-0 hover:bg-accent-soft hover:text-accent group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-70"
    >
      <Icon name="plus" className="size-3.5" />
    </button>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function moveOn(event: KeyboardEvent<HTMLButtonElement>) {
  const step = STEPS[event.key]
  if (!step) return
  const all = [
    ...(event.currentTarget.closest('[data-diff]')?.querySelectorAll<HTMLElement>('[data-comment]') ?? []),
  ]
  const next = all[all.indexOf(event.currentTarget) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
}

/** What stands beneath a line. */
export function BeneathLine({ at }: { at: NotedLine }) {
  return useContext(LineNotesContext)?.beneath(at) ?? null
}
