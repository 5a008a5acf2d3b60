'use client'
import { useTranslations } from 'use-intl/react'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import { isCancelled, isDead, isQueued, knownCode } from '../task-state.ts'

type Stopped = Pick<TaskView, 'status' | 'retry_at' | 'wait_reason' | 'error_code'>

/** Why a task does not go on, in a few words: what it waits for, or what ended it. Null for one that goes on or is done. */
export function useWaitText(): (task: Stopped) => string | null {
  const t = useTranslations('tasks')
  return (task) => {
    if (isQueued(task))
      return t(task.wait_reason === 'to_be_fetched' ? 'wait.to_be_fetched' : 'wait.no_worker')
    if (isDead(task)) return t('needsPerson')
    if (isCancelled(task)) return null
    const code = knownCode(task.error_code)
    return code ? t(`errors.${code}`) : null
  }
}
