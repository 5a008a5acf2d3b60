import { notFound } from 'next/navigation'
import { TaskPage } from '#features/tasks/index.ts'
import { isTaskId } from '#features/tasks/input.ts'
import { messages } from '#features/tasks/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'
import { openPage } from '../../../open-page.tsx'

export const generateMetadata = async () => ({ title: (await serverTranslations(messages))('task') })

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const page = await openPage('task.read')
  const { id } = await params
  if (page.caller.role === 'guest' || !isTaskId(id)) notFound()
  await page.find(page.trpc.tasks.get.queryOptions({ id }))
  return (
    <page.Hydrated>
      <TaskPage id={id} />
    </page.Hydrated>
  )
}
