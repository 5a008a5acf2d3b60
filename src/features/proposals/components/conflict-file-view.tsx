'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ConflictFile } from '#contracts/proposal-conflict.contract.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/lazy.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import type { MergeDecisions, OpenOverlap } from '../hooks/use-merge-decisions.ts'
import { OverlapChoice, type Take } from './overlap-choice.tsx'

/** What is shown of each file: its overlaps, or one of its three texts as a whole. */
export const VIEWS = ['merge', 'base', 'current', 'proposed'] as const
export type View = (typeof VIEWS)[number]

type Props = {
  file: ConflictFile
  view: View
  decisions: MergeDecisions
  at: number
  take: (open: OpenOverlap, take: Take) => void
}

/** A file of a conflict: what was merged folded away, each overlap with its texts, and what it all leads to. */
export function ConflictFileView(props: Props) {
  const t = useTranslations('proposals')
  const { file, view } = props
  const note = noteOf(file)
  return (
    <div className="space-y-3">
      <h4 className="break-all font-mono text-sm font-medium">{file.path}</h4>
      {note ? <p className="text-sm text-ink-2">{t(note)}</p> : null}
      {view === 'merge' ? (
        <Merge {...props} />
      ) : file[view] === null ? (
        <p className="rounded bg-sunken px-4 py-3 text-ink-2">{t('noFile')}</p>
      ) : (
        <PlainText text={file[view]} />
      )}
    </div>
  )
}

function noteOf(file: ConflictFile) {
  if (file.state === 'missing') return 'deletedSince'
  if (file.state === 'exists') return 'createdSince'
  return file.proposed === null ? 'deletionProposed' : null
}

function Merge({ file, decisions, at, take }: Props) {
  const t = useTranslations('proposals')
  const result = decisions.resultOf(file)
  return (
    <>
      {rowsOf(file, decisions).map(({ key, text, open }) =>
        open ? (
          <OverlapChoice
            key={key}
            open={open}
            total={decisions.overlaps.length}
            decision={decisions.decisionOf(open)}
            isAt={open.n === at}
            take={(one) => take(open, one)}
            write={(own) => decisions.decide(open, { take: 'text', text: own })}
          />
        ) : (
          <Merged key={key} text={text} />
        ),
      )}
      {result.ok ? (
        <div className="space-y-2">
          <p className="text-sm text-ink-2">{t(file.merge.clean ? 'mergedClean' : 'mergedResult')}</p>
          <DiffView path={file.path} before={file.current} after={result.text} keyboard={false} />
        </div>
      ) : null}
    </>
  )
}

type Row = { key: string; text: string; open?: OpenOverlap | undefined }

/** The parts of a merge in order; what was merged is known by where in them it stands. */
function rowsOf({ path, merge }: ConflictFile, decisions: MergeDecisions): Row[] {
  const overlaps = decisions.of(path)
  let next = 0
  if (merge.clean) return []
  return merge.parts.map((part) => {
    if (part.kind === 'merged') return { key: `before ${next}`, text: part.text }
    const open = overlaps[next++]
    return { key: open?.key ?? `overlap ${next}`, text: '', open }
  })
}

/** Lines that need no decision, shown when asked for. */
function Merged({ text }: { text: string }) {
  const t = useTranslations('proposals')
  const [open, setOpen] = useState(false)
  if (open) return <PlainText text={text} />
  return (
    <Button kind="quiet" size="sm" onClick={() => setOpen(true)}>
      ⋯ {t('unchangedLines', { count: text.trimEnd().split('\n').length })}
    </Button>
  )
}
