import { AppRouterContext } from 'next/dist/shared/lib/app-router-context.shared-runtime'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { IntlProvider } from 'use-intl/react'
import { describe, expect, it } from 'vitest'
import { LOCALES, type Locale } from '#lib/i18n/locales.ts'
import { messages } from '#lib/i18n/messages.ts'
import { Button } from './button.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { columnsOf } from './data-table-columns.ts'
import { DurationBar } from './duration-bar.tsx'
import { EmptyState } from './empty-state.tsx'
import { TextField } from './fields.tsx'
import { JsonView } from './json-view.tsx'
import { PhaseTimeline } from './phase-timeline.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { StateStepper } from './state-stepper.tsx'
import { StatusBadge } from './status-badge.tsx'
import { Countdown, ExactTime, RelativeTime } from './time.tsx'

type Row = { id: string; name: string }
const ROWS: Row[] = [
  { id: 'a', name: 'Перша' },
  { id: 'b', name: 'Second' },
]
const COLUMNS = columnsOf<Row>([{ id: 'name', header: 'Name', cell: (row) => row.name, sort: 'name' }])
const FAULT = {
  error: { code: 'STORAGE_UNAVAILABLE', message: 'down', retryable: true },
  correlation_id: 'c-42',
}
const none = () => undefined

function draw(children: ReactNode, locale: Locale): string {
  return renderToString(
    <AppRouterContext value={{ push: none } as never}>
      <IntlProvider locale={locale} messages={messages[locale] as never} timeZone="UTC">
        {children}
      </IntlProvider>
    </AppRouterContext>,
  )
}

const table = (props: Partial<DataTableProps<Row>>, locale: Locale) =>
  draw(
    <DataTable
      label="Rows"
      columns={COLUMNS}
      rows={ROWS}
      rowId={(row) => row.id}
      scope=""
      empty={<EmptyState title="nothing here yet" />}
      href={(row) => `/rows/${row.id}`}
      {...props}
    />,
    locale,
  )

describe.each(LOCALES)('a list in %s', (locale) => {
  const { ui, errors } = messages[locale]
  it('shows the shape of what comes while it loads', () => {
    expect(table({ rows: undefined }, locale)).toContain(`role="status" aria-label="${ui.loading}"`)
  })
  it('teaches when it is empty', () => {
    expect(table({ rows: [] }, locale)).toContain('nothing here yet')
  })
  it('offers to clear the filters when nothing matches', () => {
    const html = table({ rows: [], filtered: true, onClearFilters: none }, locale)
    expect(html).toContain(ui.noMatch)
    expect(html).toContain(ui.clear)
  })
  it('says what failed, with the correlation id and a way to try again', () => {
    const html = table({ rows: undefined, error: FAULT, onRetry: none }, locale)
    expect(html).toContain('role="alert"')
    for (const text of [errors.STORAGE_UNAVAILABLE, 'c-42', ui.retry]) expect(html).toContain(text)
  })
  it('keeps what it had when a later read fails, and says that it is old', () => {
    const html = table({ error: FAULT, onRetry: none }, locale)
    expect(html).toContain(ui.oldData)
    expect(html).toContain('Перша')
  })
  it('offers the rows to keyboard and screen reader', () => {
    const html = table(
      { rowName: (row) => row.name, selection: { ids: new Set(['b']), onChange: none } },
      locale,
    )
    expect(html).toContain('href="/rows/a"')
    expect(html).toContain(ui.selectRow.replace('{name}', 'Second'))
  })
})

it('says how a list is sorted', () => {
  expect(table({ sorting: { value: '-name', onChange: none } }, 'en')).toContain('aria-sort="descending"')
})

it('keeps a refused button in the tab order, with its reason', () => {
  const html = draw(<Button disabledReason="Only the owner">Go</Button>, 'en')
  expect(html).toContain('aria-disabled="true"')
  expect(html).toContain('aria-description="Only the owner"')
  expect(html).not.toContain(' disabled')
})

it('ties a field to its label and its error', () => {
  const html = draw(<TextField label="Path" value="" onChange={none} error="Not a path" />, 'en')
  const id = /<label for="([^"]+)"/.exec(html)?.[1]
  expect(html).toContain(`id="${id}" aria-describedby="${id}-note" aria-invalid="true"`)
  expect(html).toContain(`<p id="${id}-note"`)
})

it('shows the waiting of a phase apart from its work, and says what the colours mean', () => {
  const bars = [
    { kind: 'done', from: 0, to: 10_000 },
    { kind: 'wait', from: 2_000, to: 10_000 },
  ] as const
  const html = draw(
    <PhaseTimeline label="Phases" phases={[{ id: '1', label: 'One', bars, status: null }]} />,
    'en',
  )
  expect(html).toContain('>2.0 s<')
  expect(html).toContain('>8.0 s waiting<')
  expect(html).toMatch(/aria-label="Legend".*Done.*Waiting/)
})

it('is drawn without one inline style, which the policy of the pages would block', () => {
  const html = draw(
    <>
      <StatusBadge tone="working">Running</StatusBadge>
      <ProgressBar label="Memory" value={40} />
      <StateStepper label="States" main={[{ id: 'a', label: 'A', tone: 'done', count: '2' }]} current="a" />
      <PhaseTimeline
        label="Phases"
        resumes={[1_500]}
        phases={[{ id: '1', label: 'One', bars: [{ kind: 'done', from: 1_000, to: 2_000 }], status: null }]}
      />
      <JsonView value={{ a: [1, 'two', null] }} />
      <RelativeTime at={0} />
      <ExactTime at={0} />
      <Countdown until={0} />
      <DurationBar from={0} to={1_000} longest={2_000} />
    </>,
    'uk',
  )
  expect(html).not.toMatch(/ style=|<style/)
})
