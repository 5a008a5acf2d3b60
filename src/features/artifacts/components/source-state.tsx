'use client'
import { useTranslations } from 'use-intl/react'
import type { SourceNow } from '#contracts/artifact.contract.ts'
import type { ArtifactSource } from '#contracts/research.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { linesOf } from '../source-place.ts'
import { SOURCE_STATE } from '../status.ts'
import type { NumberedSource } from './source-context.tsx'

/** What became of a cited place, in words; nothing until it is known. */
export function SourceStateBadge({ now }: { now: SourceNow | undefined }) {
  const text = useSourceState(now)
  return now ? <StatusBadge {...SOURCE_STATE[now.state]}>{text}</StatusBadge> : null
}

export function useSourceState(now: SourceNow | undefined): string {
  const t = useTranslations('artifacts')
  const linesAt = useLinesAt()
  return now ? t(`sourceState.${now.state}`, { lines: now.lines ? linesAt(now.lines) : '' }) : ''
}

/** "line 3", "lines 3–5". */
export function useLinesAt(): (lines: ArtifactSource['lines']) => string {
  const t = useTranslations('artifacts')
  // A range is of two lines at least, and no language here has another form for more of them.
  return (lines) => t('linesAt', { count: lines.from === lines.to ? 1 : 2, lines: linesOf(lines) })
}

/** How a source is called: its number, file and lines. */
export function useSourceName(): (source: NumberedSource) => string {
  const t = useTranslations('artifacts')
  const linesAt = useLinesAt()
  return ({ n, ref, lines }) => t('source', { n, path: ref, lines: linesAt(lines) })
}
