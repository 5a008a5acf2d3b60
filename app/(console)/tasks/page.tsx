import { notFound } from 'next/navigation'
import { TasksPage } from '#features/tasks/index.ts'
import { TASK_FILTERS, tasksInput } from '#features/tasks/input.ts'
import { messages } from '#features/tasks/messages.ts'
import { CURSOR_PAGES } from '#lib/cursor-pages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('title') })

/** Not among the lists: no skeleton is sent before it is known that a guest sees nothing here. */
export default async function Page({ searchParams }: { searchParams: Promise<Record<string, string>> }) {
  const page = await openPage('task.read')
  if (page.caller.role === 'guest') notFound()
  const given = await searchParams
  const values = Object.fromEntries(TASK_FILTERS.map((name) => [name, given[name]]))
  await page.prefetchInfinite(page.trpc.tasks.list.infiniteQueryOptions(tasksInput(values), CURSOR_PAGES))
  return (
    <page.Hydrated>
      <TasksPage />
    </page.Hydrated>
  )
}
