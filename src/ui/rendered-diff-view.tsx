'use client'
import { useMemo } from 'react'
import { MarkdownView } from './markdown-view.tsx'
import { renderedDiff, type Tree } from './rendered-diff.ts'

/** Sanitised trees as the server made them; null where the document is not there on that side. */
type Props = { before: unknown; after: unknown }

/** A document as it reads, what came and what went marked; one that is not rendered is shown as it is written. */
export function RenderedDiffView({ before, after }: Props) {
  const plain = [after, before].find(isPlain)
  const tree = useMemo(
    () => (plain ? null : renderedDiff(before as Tree | null, after as Tree | null)),
    [plain, before, after],
  )
  return <MarkdownView tree={tree ?? plain} />
}

const isPlain = (tree: unknown): boolean =>
  (tree as { data?: { plain?: unknown } } | null)?.data?.plain !== undefined
