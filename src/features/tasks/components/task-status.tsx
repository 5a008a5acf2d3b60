'use client'
import { useTranslations } from 'use-intl/react'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import { StatusBadge } from '#ui/status-badge.tsx'
import { Countdown } from '#ui/time.tsx'
import { CANCELLED_STYLE, RETRY_STYLE, STATUS_STYLES } from '../status.ts'
import { isCancelled, isRetrying } from '../task-state.ts'

type Shown = Pick<TaskView, 'status' | 'retry_at' | 'error_code'>

/** The state of a task in words; a failed one counts down to its next attempt, and a cancelled one is not called failed. */
export function TaskStatus({ task, variant = 'plain' }: { task: Shown; variant?: 'soft' | 'plain' }) {
  const t = useTranslations('tasks')
  if (isCancelled(task))
    return (
      <StatusBadge {...CANCELLED_STYLE} variant={variant}>
        {t('cancelledState')}
      </StatusBadge>
    )
  if (isRetrying(task) && task.retry_at !== null)
    return (
      <StatusBadge {...RETRY_STYLE} variant={variant}>
        {t('retryIn')} <Countdown until={task.retry_at} />
      </StatusBadge>
    )
  return (
    <StatusBadge {...STATUS_STYLES[task.status]} variant={variant}>
      {t(`state.${task.status}`)}
    </StatusBadge>
  )
}
