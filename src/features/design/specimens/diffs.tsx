import { createTwoFilesPatch } from 'diff'
import { type ReactNode, useState } from 'react'
import { ChooseTwo, ComparePage } from '#ui/compare-page.tsx'
import { CompareTable } from '#ui/compare-table.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { DiffView as LazyDiffView } from '#ui/lazy.tsx'
import { RenderedDiffView } from '#ui/rendered-diff-view.tsx'
import { WordDiffView } from '#ui/word-diff-view.tsx'
import type { Specimen } from '../specimen.ts'

const LINES = Array.from({ length: 24 }, (_, i) => `${i + 1}. A line that stays as it is.`)
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`
const BEFORE = text(LINES)
const CHANGED = text(
  LINES.with(2, '3. A line that reads differently now.').toSpliced(20, 1, 'New one.', 'New two.'),
)
const MOVED = text([...LINES.slice(4, 8), ...LINES.slice(0, 4), ...LINES.slice(8)])
const LONG = `A long line: ${'sunflower seeds and their neighbours, '.repeat(12)}end.`
const UNBROKEN = `https://garden.example/${'a'.repeat(400)}`

const element = (tagName: string, ...words: string[]) => ({
  type: 'element',
  tagName,
  properties: {},
  children: words.map((value) => ({ type: 'text', value })),
})
const document = (what: string, ...more: string[]) => ({
  type: 'root',
  children: [element('p', `${what} grows in the north bed.`), ...more.map((word) => element('p', word))],
})

type Texts = { before: string | null; after: string | null; rendered?: ReactNode }
const Diff = (texts: Texts) => <DiffView path="notes/beds/north.md" keyboard={false} {...texts} />

const UNIFIED = createTwoFilesPatch('a', 'b', BEFORE, CHANGED, undefined, undefined, { context: 3 })

function Choosing() {
  const [accepted, setAccepted] = useState<readonly number[]>([1])
  const toggle = (n: number) =>
    setAccepted(accepted.includes(n) ? accepted.filter((one) => one !== n) : [...accepted, n])
  return (
    <DiffView
      path="notes/beds/south.md"
      before={BEFORE}
      after={CHANGED}
      keyboard={false}
      choice={{ unified: UNIFIED, accepted, toggle }}
    />
  )
}

function Commenting() {
  const [line, setLine] = useState(3)
  const beneath = (at: { side: string; line: number }) =>
    at.side === 'proposed' && at.line === line ? (
      <p className="border-y border-line bg-accent-soft px-3 py-2">What does differently mean here?</p>
    ) : null
  const notes = { add: (at: { line: number }) => setLine(at.line), beneath }
  return <DiffView path="notes/beds/east.md" before={BEFORE} after={CHANGED} keyboard={false} notes={notes} />
}

const SideBySide = () => (
  <CompareTable
    label="Two samples"
    heads={{ row: 'Property', left: 'Left', right: 'Right', difference: 'Difference' }}
    rows={[
      { id: 'status', label: 'Status', left: 'Completed', right: 'Completed' },
      { id: 'long', label: 'Question', left: LONG, right: UNBROKEN, difference: 'Different', isFirst: true },
      { id: 'tokens', label: 'Tokens', left: '120', right: 'None', difference: 'Left only' },
    ]}
  />
)

export const diffs: Specimen = {
  name: 'DiffView',
  of: [
    'compare-page.tsx',
    'compare-table.tsx',
    'diff-view.tsx',
    'hunk-head.tsx',
    'lazy.tsx',
    'line-notes.tsx',
    'rendered-diff-view.tsx',
    'word-diff-view.tsx',
  ],
  states: [
    {
      name: 'changed in two places',
      Show: () => <Diff before={BEFORE} after={CHANGED} rendered={<p>The note as it reads.</p>} />,
    },
    { name: 'changes to choose from', Show: Choosing },
    { name: 'lines to comment', Show: Commenting },
    { name: 'moved', Show: () => <Diff before={BEFORE} after={MOVED} /> },
    { name: 'created', Show: () => <Diff before={null} after={text(LINES.slice(0, 5))} /> },
    { name: 'deleted', Show: () => <Diff before={text(LINES.slice(0, 5))} after={null} /> },
    {
      name: 'long lines',
      Show: () => (
        <Diff before={text([LONG, UNBROKEN])} after={text([LONG.replace('end', 'stop'), `${UNBROKEN}b`])} />
      ),
    },
    {
      name: 'two objects side by side',
      Show: () => (
        <ComparePage
          above="Samples"
          title="Compare samples"
          sentence="First difference: question"
          hasDifference
          swap={() => undefined}
        >
          <SideBySide />
        </ComparePage>
      ),
    },
    {
      name: 'two objects to choose',
      Show: () => (
        <ChooseTwo
          title="Choose two samples"
          hint="Select two."
          list={{ href: '#', label: 'Open samples' }}
        />
      ),
    },
    { name: 'words of a running text', Show: () => <WordDiffView before={BEFORE} after={CHANGED} /> },
    {
      name: 'as it reads',
      Show: () => <RenderedDiffView before={document('Leeks')} after={document('Basil', 'garlic')} />,
    },
    { name: 'no changes', Show: () => <Diff before={BEFORE} after={BEFORE} /> },
    {
      name: 'loaded when it is shown',
      Show: () => <LazyDiffView path="notes/a.md" before={null} after={'One line.\n'} keyboard={false} />,
    },
  ],
}
