import { StatusIcon, type StatusStyle } from './status-badge.tsx'

export type OutcomeMark = StatusStyle & { id: string /** What it was, and when. */; tip: string }

type Props = {
  /** What there is to see, in words: the picture says nothing more to a screen reader. */
  summary: string
  /** The oldest first. */
  marks: readonly OutcomeMark[]
}

/** The latest outcomes of something in the space of a word, a mark each, told apart by shape. */
export function OutcomeMarks({ summary, marks }: Props) {
  return (
    <span role="img" aria-label={summary} className="inline-flex items-center gap-1">
      {marks.map(({ id, tip, ...style }) => (
        <span key={id} data-tip={tip} className="flex">
          <StatusIcon {...style} />
        </span>
      ))}
    </span>
  )
}
