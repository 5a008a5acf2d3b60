'use client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { may } from '#domain/authority/matrix.ts'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'
import { SavedViews } from '#features/views/index.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { useInfiniteRows } from '#lib/use-infinite-rows.ts'
import { DataTable } from '#ui/data-table.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ExportList } from '#ui/export-list.tsx'
import { FilterBar, type FilterSpec } from '#ui/filter-bar.tsx'
import { LinkFilters } from '#ui/link-filters.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { useTaskColumns } from '../columns.tsx'
import { TASK_FILTERS, taskHref, tasksInput } from '../input.ts'
import { NewTask } from './new-task.tsx'

/** The LLM Tasks, newest first, by state and agent. */
export function TasksPage() {
  const t = useTranslations('tasks')
  const trpc = useTRPC()
  const { role } = useSession()
  useLiveQueries(['task.status.changed'], trpc.tasks.list.pathFilter(), POLL_MS.live)
  return (
    <Page wide>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        action={may(role, 'task.submit') ? <NewTask /> : undefined}
      />
      <TaskList />
    </Page>
  )
}

function TaskList() {
  const t = useTranslations('tasks')
  const trpc = useTRPC()
  const filters = useFilters(TASK_FILTERS)
  const input = tasksInput(filters.values)
  const list = useInfiniteQuery(trpc.tasks.list.infiniteQueryOptions(input, CURSOR_PAGES))
  return (
    <>
      <FilterBar filters={filters} specs={useSpecs()}>
        <SavedViews list="tasks" filters={filters} />
        <ExportList list="tasks" filter={input} />
      </FilterBar>
      <LinkFilters filters={filters} labels={{ worker: t('worker'), run: t('run') }} />
      <DataTable
        label={t('title')}
        columns={useTaskColumns()}
        {...useInfiniteRows(list)}
        rowId={(task) => task.id}
        rowName={(task) => task.prompt.slice(0, 80)}
        href={(task) => taskHref(task.id)}
        scope={filters.scope}
        filtered={filters.active}
        onClearFilters={filters.clear}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </>
  )
}

function useSpecs(): FilterSpec[] {
  const t = useTranslations('tasks')
  return [
    {
      kind: 'select',
      key: 'status',
      label: t('anyStatus'),
      options: taskMachine.states.map((state: TaskState) => ({ value: state, label: t(`state.${state}`) })),
    },
    { kind: 'text', key: 'agent', label: t('agent') },
  ]
}
