'use client'
import { useTranslations } from 'use-intl/react'
import type { TaskDetail, TaskPolicy } from '#contracts/llm-task.contract.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { ExactTime } from '#ui/time.tsx'

/** What the task asked for, and by whom it was worked on within what limits. */
export function TaskFacts({ task }: { task: TaskDetail }) {
  const t = useTranslations('tasks')
  const rows: (FieldRow | null)[] = [
    { label: t('task'), value: <Id value={task.id} full /> },
    { label: t('agent'), value: <Link href={`/agents/${task.agent_slug}`}>{task.agent_slug}</Link> },
    { label: t('context'), value: <span className="break-all font-mono text-sm">{task.context_id}</span> },
    task.run_id
      ? {
          label: t('run'),
          value: (
            <Link href={`/runs/${task.run_id}`} className="font-mono text-sm">
              {task.run_id}
            </Link>
          ),
        }
      : null,
    { label: t('format'), value: t(`formats.${task.desired_format}`) },
    {
      label: t('attempt'),
      value: (
        <span className="tabular">{t('attemptOf', { n: task.attempts, total: task.max_attempts })}</span>
      ),
    },
    ...usePolicyRows(task),
    task.priority > 0 ? { label: t('priority'), value: task.priority } : null,
    task.context_hints.length > 0
      ? {
          label: t('hints'),
          value: <span className="break-all font-mono text-sm">{task.context_hints.join(', ')}</span>,
        }
      : null,
    { label: t('created'), value: <ExactTime at={task.created_at} /> },
    task.ended_at === null ? null : { label: t('ended'), value: <ExactTime at={task.ended_at} /> },
    { label: t('digest'), value: <Digest value={task.payload_digest} /> },
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}

/** The limits and wishes of the task, which the server checked when it was created. */
function usePolicyRows(task: TaskDetail): (FieldRow | null)[] {
  const t = useTranslations('tasks')
  const policy = task.policy as TaskPolicy
  const { budget } = policy
  const tokens = typeof budget === 'number' ? budget : budget.max_tokens
  return [
    { label: t('timeout'), value: t('seconds', { count: policy.timeout_sec }) },
    { label: t('budget'), value: tokens > 0 ? t('budgetTokens', { count: tokens }) : t('noBudget') },
    policy.required_labels.length > 0
      ? { label: t('labels'), value: policy.required_labels.join(', ') }
      : null,
    policy.preferred_labels.length > 0
      ? { label: t('preferredLabels'), value: policy.preferred_labels.join(', ') }
      : null,
  ]
}
