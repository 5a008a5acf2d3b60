'use client'
import { useTranslations } from 'use-intl/react'
import type { TaskDetail } from '#contracts/llm-task.contract.ts'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'
import { RelativeTime } from '#ui/time.tsx'
import { knownCode } from '../task-state.ts'

type HistoryRow = TaskDetail['history'][number]

/** Every transition and every refused command, oldest first. */
export function TaskHistory({ task }: { task: TaskDetail }) {
  const t = useTranslations('tasks')
  return (
    <ol className="space-y-1.5">
      {task.history.map((row, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the history only grows at its end, and its rows have no id
          key={at}
          className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 text-sm"
        >
          <RelativeTime at={row.at} className="tabular text-ink-3" />
          <span className="min-w-0">
            <span className="text-ink">{line(t, row)}</span>
            <span className="ml-2 text-ink-3">{t('by', { actor: row.actor })}</span>
            {row.reason ? <span className="ml-2 text-ink-2">“{row.reason}”</span> : null}
            {row.error_code ? <Code code={row.error_code} /> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Code({ code }: { code: string }) {
  const t = useTranslations('tasks')
  const known = knownCode(code)
  return <span className="ml-2 text-failed">{known ? t(`errors.${known}`) : code}</span>
}

type Translate = ReturnType<typeof useTranslations<'tasks'>>
const nameOf = (t: Translate, state: string) => {
  const known = taskMachine.states.find((one: TaskState) => one === state)
  return known ? t(`state.${known}`) : state
}
const line = (t: Translate, { from, to, name }: HistoryRow) =>
  to
    ? [from, to]
        .filter((state) => state !== null)
        .map((state) => nameOf(t, state))
        .join(' → ')
    : name
