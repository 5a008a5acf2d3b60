'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { TaskDetail } from '#contracts/llm-task.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { PlainText } from '#ui/plain-text.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { hasCurrentSelection, isDead, isLeased, isQueued } from '../task-state.ts'
import { Attempts } from './attempts.tsx'
import { SelectionView } from './selection-view.tsx'
import { useTaskActions } from './task-actions.tsx'
import { TaskFacts } from './task-facts.tsx'
import { TaskHistory } from './task-history.tsx'
import { TaskStatus } from './task-status.tsx'
import { useWaitText } from './task-wait.tsx'

const TITLE_CHARS = 120

/** Heartbeats and the output of a worker are no events, and why a task waits changes with the workers: both are read again meanwhile. */
const pollOf = (task: TaskDetail | undefined): number | false => {
  if (!task) return false
  if (isLeased(task)) return POLL_MS.live
  return isQueued(task) ? POLL_MS.moving : false
}

/** One LLM Task: its state, who works on it and why, its attempts, prompt and answer, and what can be done about it. */
export function TaskPage({ id }: { id: string }) {
  const t = useTranslations('tasks')
  const trpc = useTRPC()
  const task = useQuery(
    trpc.tasks.get.queryOptions({ id }, { refetchInterval: ({ state }) => pollOf(state.data) }),
  )
  useLiveQueries(['task.status.changed'], trpc.tasks.get.queryFilter({ id }), POLL_MS.live)
  if (task.data) return <TaskBody key={id} task={task.data} />
  return (
    <Page>
      {task.error ? (
        <ObjectError error={task.error} onRetry={() => task.refetch()} id={id} listHref="/tasks" />
      ) : (
        <Skeleton lines={10} label={t('task')} />
      )}
    </Page>
  )
}

function TaskBody({ task }: { task: TaskDetail }) {
  const t = useTranslations('tasks')
  const commands = useTaskActions(task)
  const waiting = isQueued(task)
  return (
    <Page>
      <PageHeader
        above={<Link href="/tasks">{t('title')}</Link>}
        title={titleOf(task.prompt)}
        sentence={<TaskStatus task={task} variant="soft" />}
        action={
          <>
            {task.artifact_id ? (
              <Link href={`/artifacts/${task.artifact_id}`} className={buttonClass('primary')}>
                {t('openArtifact')}
              </Link>
            ) : null}
            {commands.buttons}
          </>
        }
      />
      {commands.dialog}
      <Stopped task={task} />
      {task.selection && hasCurrentSelection(task) ? (
        <Section title={waiting ? t('whyWaiting') : t('whyChosen')}>
          <SelectionView selection={task.selection} waiting={waiting} />
        </Section>
      ) : null}
      <Section title={t('attempts')}>
        <Attempts task={task} />
      </Section>
      <Section title={t('prompt')}>
        <PlainText text={task.prompt} />
      </Section>
      <Section title={t('details')}>
        <TaskFacts task={task} />
      </Section>
      <Section title={t('history')}>
        <TaskHistory task={task} />
      </Section>
    </Page>
  )
}

const titleOf = (prompt: string): string => {
  const line = prompt.trim().split('\n')[0] ?? ''
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS)}…` : line
}

/** What a task waits for or why it ended without an answer, with the last error in the worker's own words. */
function Stopped({ task }: { task: TaskDetail }) {
  const t = useTranslations('tasks')
  const text = useWaitText()(task)
  if (isLeased(task) || (!text && !task.last_error)) return null
  return (
    <div className="max-w-prose">
      {text ? <p className={isQueued(task) ? 'text-waiting' : 'font-medium'}>{text}</p> : null}
      {isDead(task) ? <p className="text-ink-2">{t('needsPersonHint')}</p> : null}
      {task.last_error && !isQueued(task) ? (
        <p className="mt-1 whitespace-pre-wrap break-words text-sm text-ink-2">{task.last_error}</p>
      ) : null}
    </div>
  )
}
