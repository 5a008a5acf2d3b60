'use client'
import { lazy, Suspense } from 'react'
import { useTranslations } from 'use-intl/react'
import { onDemand } from '#lib/on-demand.tsx'
import type { ColumnStripProps } from './column-strip.tsx'
import type { DiffViewProps } from './diff-view.tsx'
import type { LineChartProps } from './line-chart.tsx'
import type { MarkdownViewProps } from './markdown-view.tsx'
import { Skeleton } from './skeleton.tsx'
import type { TextEditorProps } from './text-editor.tsx'

/**
 * The heavy views. Rooms import them from here. What many objects open with is loaded ahead, as soon as any page is at rest: a skeleton that was
 * painted stays for 300 ms, however soon the code is there.
 */
const Diff = onDemand(() => import('./diff-view.tsx').then((m) => m.DiffView))
const Markdown = onDemand(() => import('./markdown-view.tsx').then((m) => m.MarkdownView))
const Chart = onDemand(() => import('./line-chart.tsx').then((m) => m.LineChart))
const Strip = onDemand(() => import('./column-strip.tsx').then((m) => m.ColumnStrip))
const Rendered = lazy(() => import('./rendered-diff-view.tsx').then((m) => ({ default: m.RenderedDiffView })))
const Editor = lazy(() => import('./text-editor.tsx').then((m) => ({ default: m.TextEditor })))

const Wait = () => <Skeleton lines={6} label={useTranslations('ui')('loading')} />

export const DiffView = (props: DiffViewProps) => (
  <Suspense fallback={<Wait />}>
    <Diff {...props} />
  </Suspense>
)

export const RenderedDiffView = (props: { before: unknown; after: unknown }) => (
  <Suspense fallback={<Wait />}>
    <Rendered {...props} />
  </Suspense>
)

export const MarkdownView = (props: MarkdownViewProps) => (
  <Suspense fallback={<Wait />}>
    <Markdown {...props} />
  </Suspense>
)

export const LineChart = (props: LineChartProps) => (
  <Suspense fallback={<Wait />}>
    <Chart {...props} />
  </Suspense>
)

/** The place of a column strip that is not there yet: nothing below it moves when it comes. */
export const ColumnStripPlace = () => <div aria-hidden className="mb-9 aspect-[6/1] w-full max-w-3xl" />

export const ColumnStrip = (props: ColumnStripProps) => (
  <Suspense fallback={<ColumnStripPlace />}>
    <Strip {...props} />
  </Suspense>
)

/** Takes the focus that the editor is to have: what is typed until then is no key of the page. */
const WaitToWrite = () => (
  <>
    <textarea
      ref={(field) => field?.focus({ preventScroll: true })}
      readOnly
      aria-label={useTranslations('ui')('loading')}
      className="sr-only"
    />
    <Wait />
  </>
)

export const TextEditor = (props: TextEditorProps) => (
  <Suspense fallback={<WaitToWrite />}>
    <Editor {...props} />
  </Suspense>
)
