'use client'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { useAction } from '#lib/keyboard.tsx'
import { Waking } from '#lib/waking.tsx'
import { cx } from './cx.ts'
import { type Block, buildDiff, buildHunks, type Line } from './diff-model.ts'
import { Checkbox } from './fields.tsx'
import { Segmented } from './filter-bar.tsx'
import { HunkHead } from './hunk-head.tsx'
import { BeneathLine, CommentLine, type LineNotes, placeOf, WithLineNotes } from './line-notes.tsx'
import { PlainText } from './plain-text.tsx'
import { WordDiffView } from './word-diff-view.tsx'

export type DiffViewProps = {
  /** Where the text lives; the head of the view. */
  path: string
  /** Null: the file does not exist before (it is created) or after (it is removed). */
  before: string | null
  after: string | null
  /** The document after the change, rendered (`<MarkdownView …/>`); without it there is no such tab. */
  rendered?: ReactNode
  /** Also as one running text with its words marked. */
  words?: boolean
  /** Takes n p o as keys; off where one page has several files. */
  keyboard?: boolean
  /** The hunk that is marked at first, from 1; none by default. */
  startAt?: number
  /** The hunks can be taken or left out, each by its number in this unified diff over `before`. */
  choice?: HunkChoice | undefined
  /** Each line can be commented; white space counts then. */
  notes?: LineNotes | undefined
}

export type HunkChoice = {
  unified: string
  accepted: readonly number[]
  toggle: (n: number) => void
  /** Why nothing can be chosen now. */
  disabledReason?: string | undefined
}

type View = 'diff' | 'words' | 'rendered' | 'source'

/** What a change does to one file: words marked, unchanged parts folded, rendered and source beside. */
export function DiffView(props: DiffViewProps) {
  const { path, before, after, rendered, words = false, keyboard = true, startAt = 0, choice, notes } = props
  const t = useTranslations('ui')
  const [view, setView] = useState<View>('diff')
  const [ignoreSpace, setIgnoreSpace] = useState(false)
  const [at, setAt] = useState(startAt)
  const root = useRef<HTMLElement>(null)
  // Without white space the hunks are others: then nothing can be chosen.
  const chosen = ignoreSpace ? undefined : choice
  const unified = chosen?.unified
  const diff = useMemo(
    () => (unified ? buildHunks(before, unified) : buildDiff(before, after, { ignoreSpace })),
    [before, after, ignoreSpace, unified],
  )
  const go = (step: 1 | -1) => {
    const next = Math.min(Math.max(at + step, 1), diff.hunks)
    setAt(next)
    root.current?.querySelector(`[data-hunk="${next}"]`)?.scrollIntoView({ block: 'center' })
  }
  const views = (
    ['diff', ...(words ? ['words'] : []), ...(rendered ? ['rendered'] : []), 'source'] as View[]
  ).map((value) => ({
    value,
    label: LABEL[value](t),
  }))
  const turn = () =>
    setView(views[(views.findIndex((v) => v.value === view) + 1) % views.length]?.value ?? 'diff')
  useAction(
    keyboard ? { id: 'diff.next', label: t('nextHunk'), keys: 'n', run: () => go(1), palette: false } : null,
  )
  useAction(
    keyboard
      ? { id: 'diff.previous', label: t('previousHunk'), keys: 'p', run: () => go(-1), palette: false }
      : null,
  )
  useAction(
    keyboard
      ? { id: 'diff.view', label: `${LABEL.rendered(t)} / ${LABEL.source(t)}`, keys: 'o', run: turn }
      : null,
  )
  const toggle = () => {
    chosen?.toggle(Math.max(at, 1))
    if (at === 0) setAt(1)
  }
  useAction(
    keyboard && chosen && view === 'diff'
      ? {
          id: 'diff.toggle',
          label: t('toggleHunk'),
          keys: 'h',
          run: toggle,
          disabledReason: chosen.disabledReason,
        }
      : null,
  )
  return (
    <section ref={root} aria-label={path} data-diff={path}>
      <Waking />
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="min-w-0 break-all font-mono text-sm font-medium">{path}</span>
        <span className="tabular text-sm">
          <span className="text-done" data-tip={t('added', { count: diff.added })}>
            +{diff.added}
          </span>{' '}
          <span className="text-failed" data-tip={t('removed', { count: diff.removed })}>
            −{diff.removed}
          </span>
        </span>
        <span data-chrome className="ml-auto flex flex-wrap items-center gap-3">
          {view === 'diff' ? (
            <Checkbox label={t('ignoreSpace')} checked={ignoreSpace} onChange={setIgnoreSpace} />
          ) : null}
          <Segmented
            label={t('viewDiff')}
            options={views}
            value={view}
            onChange={(v) => setView(v as View)}
          />
        </span>
      </div>
      {view === 'rendered' ? (
        rendered
      ) : view === 'words' ? (
        <WordDiffView before={before ?? ''} after={after ?? ''} />
      ) : view === 'source' ? (
        <PlainText text={after ?? before ?? ''} />
      ) : diff.tooLarge ? (
        <>
          <p className="mb-3 text-ink-2">{t('tooLargeToCompare')}</p>
          <PlainText text={after ?? before ?? ''} />
        </>
      ) : (
        <WithLineNotes notes={notes} blocks={diff.blocks}>
          <Blocks blocks={diff.blocks} total={diff.hunks} at={at} choice={chosen} />
        </WithLineNotes>
      )}
    </section>
  )
}

type T = ReturnType<typeof useTranslations<'ui'>>
const LABEL: Record<View, (t: T) => string> = {
  diff: (t) => t('viewDiff'),
  words: (t) => t('viewWords'),
  rendered: (t) => t('viewRendered'),
  source: (t) => t('viewSource'),
}

type BlocksProps = {
  blocks: readonly Block[]
  total: number
  at: number
  choice: HunkChoice | undefined
}

function Blocks({ blocks, total, at, choice }: BlocksProps) {
  const t = useTranslations('ui')
  if (total === 0) return <p className="rounded bg-sunken px-4 py-3 text-ink-2">{t('noChanges')}</p>
  return (
    <div className="relative overflow-x-auto rounded border border-line text-sm leading-6">
      {blocks.map((block) =>
        block.kind === 'fold' ? (
          <Fold key={`f${block.lines[0]?.after}`} lines={block.lines} />
        ) : (
          <fieldset
            key={`h${block.n}`}
            data-hunk={block.n}
            aria-label={t('hunk', { n: block.n, total })}
            className={cx('min-w-0', block.n === at && 'shadow-[inset_2px_0_0_var(--color-accent)]')}
          >
            {choice ? <HunkHead n={block.n} total={total} choice={choice} /> : null}
            <Rows lines={block.lines} isMuted={choice && !choice.accepted.includes(block.n)} />
          </fieldset>
        ),
      )}
    </div>
  )
}

const MORE = 'block h-7 w-full bg-sunken px-4 text-left text-xs text-ink-3 hover:bg-hover hover:text-ink'

function Fold({ lines }: { lines: readonly Line[] }) {
  const t = useTranslations('ui')
  const [open, setOpen] = useState(false)
  if (open) return <Rows lines={lines} />
  return (
    <button type="button" onClick={() => setOpen(true)} className={MORE}>
      ⋯ {t('unchanged', { count: lines.length })}
    </button>
  )
}

const GROUND = { same: '', delete: 'bg-delete', insert: 'bg-insert' }
const SIGN = { same: ' ', delete: '−', insert: '+' }

/** More at once would hold up the page. */
const ROWS_AT_ONCE = 1_000

type RowsProps = { lines: readonly Line[]; isMuted?: boolean | undefined }

function Rows({ lines, isMuted = false }: RowsProps) {
  const t = useTranslations('ui')
  const [shown, setShown] = useState(ROWS_AT_ONCE)
  const left = Math.min(ROWS_AT_ONCE, lines.length - shown)
  return (
    <>
      {lines.slice(0, shown).map((line) => (
        <Row key={`${line.kind}${line.before}-${line.after}`} line={line} isMuted={isMuted} />
      ))}
      {left > 0 ? (
        <button type="button" onClick={() => setShown(shown + ROWS_AT_ONCE)} className={MORE}>
          ⋯ {t('showRows', { count: left })}
        </button>
      ) : null}
    </>
  )
}

/** `isMuted`: the hunk is left out, so that nothing of it is added or removed. */
function Row({ line, isMuted }: { line: Line; isMuted: boolean }) {
  const at = placeOf(line)
  return (
    <>
      <div
        className={cx(
          'group relative grid grid-cols-[2.75rem_1.25rem_minmax(0,1fr)] font-mono',
          !isMuted && GROUND[line.kind],
        )}
      >
        <span className="tabular select-none pr-2 text-right text-xs leading-6 text-ink-3" aria-hidden>
          {line.after ?? line.before}
        </span>
        <span className="select-none text-ink-3">{isMuted ? ' ' : SIGN[line.kind]}</span>
        <Words line={line} isMuted={isMuted} />
        <CommentLine at={at} />
      </div>
      <BeneathLine at={at} />
    </>
  )
}

function Words({ line, isMuted }: { line: Line; isMuted: boolean }) {
  const Tag = isMuted ? 'span' : line.kind === 'delete' ? 'del' : line.kind === 'insert' ? 'ins' : 'span'
  let offset = 0
  return (
    <Tag
      className={cx(
        'whitespace-pre-wrap break-words pr-3',
        isMuted ? line.kind === 'insert' && 'text-ink-3 line-through' : 'no-underline',
      )}
    >
      {line.words.map((word) => {
        const key = offset
        offset += word.text.length + 1
        return word.changed && !isMuted ? (
          <mark
            key={key}
            className={cx(
              'rounded-[3px] text-ink',
              line.kind === 'delete' ? 'bg-delete-word' : 'bg-insert-word',
            )}
          >
            {word.text}
          </mark>
        ) : (
          <span key={key}>{word.text}</span>
        )
      })}
    </Tag>
  )
}
