'use client'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ChangeView, ProposalView } from '#contracts/proposal.contract.ts'
import { isOpen } from '#domain/proposal/open.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { useAction } from '#lib/keyboard.tsx'
import { Copyable } from '#ui/copyable.tsx'
// The diff is what the page is for: on its way, it would take away what the server has already shown.
import { DiffView } from '#ui/diff-view.tsx'
import { Segmented } from '#ui/filter-bar.tsx'
import { MarkdownView } from '#ui/lazy.tsx'
import type { ChangeDraft } from '../hooks/use-change-draft.ts'
import type { Edits } from '../hooks/use-edits.ts'
import { FileEditor } from './file-editor.tsx'
import { lineNotesOf } from './line-comment.tsx'

/** Which two of the three texts of a conflict are compared: what would be overwritten, what was proposed, what happened meanwhile. */
const PAIRS = ['overwritten', 'proposed', 'meanwhile'] as const
type Pair = (typeof PAIRS)[number]

const TEXTS: Record<Pair, (change: ChangeView) => { before: string | null; after: string | null }> = {
  overwritten: (c) => ({ before: c.current_text, after: c.proposed_text }),
  proposed: (c) => ({ before: c.base_text, after: c.proposed_text }),
  meanwhile: (c) => ({ before: c.base_text, after: c.current_text }),
}

/** The states in which a decision is open and the file as it is now matters. */
const OPEN: readonly string[] = [proposalMachine.events.create.to, proposalMachine.events.fail.to]

/** Whether the file has changed so that the proposal cannot be merged, and that can still be decided. */
const inConflict = ({ status, freshness }: ProposalView): boolean =>
  OPEN.includes(status) && freshness !== null && freshness.state !== 'clean' && !freshness.mergeable

type ChangesProps = { proposal: ProposalView; edits: Edits; draft: ChangeDraft }

/** The files of a proposal with what would happen to each; in a conflict any two of base, current and proposed. */
export function Changes({ proposal, edits, draft }: ChangesProps) {
  const conflict = inConflict(proposal)
  const [pair, setPair] = useState<Pair>('overwritten')
  const { open, setOpen } = edits
  const root = useRef<HTMLDivElement>(null)
  const paths = proposal.changes.map(({ path }) => path)
  const show = (n: number) => {
    setOpen(n)
    const views = root.current?.querySelectorAll('[data-diff]') ?? []
    views[n]?.scrollIntoView({ block: 'start' })
  }
  return (
    <div ref={root} className="space-y-8">
      {paths.length > 1 ? <Files paths={paths} open={open} show={show} /> : null}
      {conflict ? <Compare pair={pair} setPair={setPair} /> : null}
      {proposal.changes.map((change, n) => (
        <FocusAfter key={change.path} when={edits.isWriting && n === open}>
          <Change
            change={isOpen(proposal.status) ? change : { ...change, current_text: null }}
            pair={conflict ? pair : null}
            edits={edits}
            draft={draft}
            n={n}
          />
        </FocusAfter>
      ))}
    </div>
  )
}

type FilesProps = { paths: readonly string[]; open: number; show: (n: number) => void }

/** The files of a proposal; the keys of a diff belong to the one that is marked. */
function Files({ paths, open, show }: FilesProps) {
  const t = useTranslations('proposals')
  const group = t('title')
  const last = paths.length - 1
  const next = () => show(Math.min(open + 1, last))
  const previous = () => show(Math.max(open - 1, 0))
  // With several files these keys go by file; j and k go on from proposal to proposal.
  useAction({ id: 'proposals.file.next', label: t('nextFile'), keys: ']', group, run: next, palette: false })
  useAction({
    id: 'proposals.file.previous',
    label: t('previousFile'),
    keys: '[',
    group,
    run: previous,
    palette: false,
  })
  return (
    <nav aria-label={t('fileList')}>
      <ul className="divide-y divide-line rounded border border-line">
        {paths.map((path, n) => (
          <li key={path}>
            <button
              type="button"
              aria-current={n === open ? 'true' : undefined}
              onClick={() => show(n)}
              className="block min-h-8 w-full break-all px-3 py-1 text-left font-mono text-sm hover:bg-hover aria-[current=true]:bg-selected pointer-coarse:min-h-11"
            >
              {path}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Compare({ pair, setPair }: { pair: Pair; setPair: (pair: Pair) => void }) {
  const t = useTranslations('proposals')
  const turn = () => setPair(PAIRS[(PAIRS.indexOf(pair) + 1) % PAIRS.length] ?? 'overwritten')
  useAction({ id: 'proposals.compare', label: t('compareNext'), keys: 'b', group: t('title'), run: turn })
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Segmented
        label={t('compare')}
        options={PAIRS.map((value) => ({ value, label: t(`pair.${value}`) }))}
        value={pair}
        onChange={(value) => setPair(value as Pair)}
      />
      <p className="basis-full text-sm text-ink-2">{t(`pairHint.${pair}`)}</p>
    </div>
  )
}

/** Where the focus goes when the editor inside is closed. */
function FocusAfter({ when, children }: { when: boolean; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  const was = useRef(when)
  useEffect(() => {
    if (was.current && !when) place.current?.focus({ preventScroll: true })
    was.current = when
  }, [when])
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      {children}
    </div>
  )
}

type ChangeProps = {
  change: ChangeView
  pair: Pair | null
  edits: Edits
  draft: ChangeDraft
  n: number
}

/** One file: compared, or being edited. Once it was edited, what is compared is what is approved. */
function Change({ change, pair, edits, draft, n }: ChangeProps) {
  const t = useTranslations('proposals')
  const file = edits.files[n]
  const keyboard = n === edits.open
  if (file && keyboard && edits.isWriting)
    return (
      <FileEditor
        path={change.path}
        text={file.lostText ?? file.final ?? ''}
        write={(text) => edits.write(n, text)}
        leave={() => edits.setWriting(false)}
      />
    )
  if (file?.isWritten)
    return (
      <>
        <p className="mb-1 text-sm font-medium text-accent">{t('editedByYou')}</p>
        <DiffView path={change.path} before={file.base} after={file.final} keyboard={keyboard} />
      </>
    )
  const proposed = file?.isEdited ? file.final : change.proposed_text
  const texts = pair
    ? TEXTS[pair](change)
    : { before: change.current_text ?? change.base_text, after: proposed }
  const shown = pair !== 'meanwhile' && change.proposed_content && !file?.isEdited
  return (
    <>
      {file?.lostText ? (
        <div className="mb-4">
          <Copyable text={file.lostText} name={t('editLostText')} label={t('editCopy')} />
        </div>
      ) : null}
      <DiffView
        path={change.path}
        {...texts}
        rendered={shown ? <MarkdownView tree={change.proposed_content} /> : undefined}
        keyboard={keyboard}
        choice={pair ? undefined : choiceOf(change, edits, n)}
        // Comments are about the lines as they were proposed.
        notes={change.state === 'clean' && !file?.isEdited ? lineNotesOf(draft, change.path) : undefined}
      />
    </>
  )
}

/** Hunks are chosen where there is more than one thing to choose from. */
function choiceOf(change: ChangeView, edits: Edits, n: number) {
  const file = edits.files[n]
  if (!edits.isOffered || !file || change.state !== 'clean' || edits.counts.total < 2) return undefined
  const toggle = (hunk: number) => edits.toggle(n, hunk)
  return { unified: change.unified, accepted: file.accepted, toggle }
}

/** What forcing does to each file: the text that is there now, against the one that takes its place. */
export function Overwritten({ changes }: { changes: readonly ChangeView[] }) {
  return changes.map((change) => (
    <DiffView key={change.path} path={change.path} {...TEXTS.overwritten(change)} keyboard={false} />
  ))
}
