import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import { columnsOf } from '#ui/data-table-columns.ts'
import { shortId } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { TaskStatus } from './components/task-status.tsx'
import { useWaitText } from './components/task-wait.tsx'
import { workerHref } from './input.ts'
import { isLeased, workerNameOf } from './task-state.ts'

/** The columns of the list. */
export function useTaskColumns() {
  const t = useTranslations('tasks')
  return useMemo(
    () =>
      columnsOf<TaskView>([
        {
          id: 'prompt',
          header: t('prompt'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (task) => <span className="block truncate">{task.prompt}</span>,
        },
        {
          id: 'status',
          header: t('status'),
          width: 'w-44',
          card: 'corner',
          cell: (task) => <TaskStatus task={task} />,
        },
        {
          id: 'agent',
          header: t('agent'),
          cell: (task) => (
            <Link quiet href={`/agents/${task.agent_slug}`}>
              {task.agent_slug}
            </Link>
          ),
        },
        {
          id: 'attempt',
          header: t('attempt'),
          card: 'fact',
          align: 'end',
          cell: (task) => (
            <span className="tabular text-ink-2">
              {t('attemptOf', { n: task.attempts, total: task.max_attempts })}
            </span>
          ),
        },
        { id: 'worker', header: t('workerOrWait'), cell: (task) => <Worker task={task} /> },
        {
          id: 'age',
          header: t('age'),
          align: 'end',
          cell: (task) => <RelativeTime at={task.created_at} className="text-ink-3" />,
        },
      ]),
    [t],
  )
}

/** Who has the task, or had it last; of one that nobody has and that is not done, why. */
function Worker({ task }: { task: TaskView }) {
  const wait = useWaitText()(task)
  if (wait && !isLeased(task)) return <span className="whitespace-nowrap text-ink-2">{wait}</span>
  return task.worker_id === null ? null : (
    <Link quiet href={workerHref(task.worker_id)} className="whitespace-nowrap">
      {workerNameOf(task) ?? shortId(task.worker_id)}
    </Link>
  )
}
