'use client'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AttemptView } from '#contracts/task-report.contract.ts'
import { reasonOf } from '#domain/task/hint-reasons.ts'
import { Count } from '#ui/count.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { StatusBadge, type StatusStyle } from '#ui/status-badge.tsx'

type Report = AttemptView['context_report']
type Line = Report[number] & { at: number }

const REVISION_CHARACTERS = 12

const STYLES: Record<Line['status'], StatusStyle> = {
  loaded: { tone: 'done' },
  truncated: { tone: 'waiting' },
  skipped: { tone: 'held' },
}

/** Which of the context hints a worker could load, and how much of each. */
export function ContextReport({ report, id }: { report: Report; id: string }) {
  const t = useTranslations('tasks')
  const rows = useMemo(() => report.map((line, at) => ({ ...line, at })), [report])
  return (
    <DataTable
      label={t('contextReport')}
      columns={useColumns()}
      rows={rows}
      rowId={(line) => String(line.at)}
      rowName={(line) => line.hint}
      scope={`${id} ${rows.length}`}
      keyboard={false}
      empty={null}
    />
  )
}

/** In the reader's language where the words are known; another node's own words as they are. */
function Reason({ text }: { text: string }) {
  const t = useTranslations('tasks')
  const known = reasonOf(text)
  return (
    <span className="text-ink-2">
      {known
        ? t(`contextReason.${known.key}`, {
            value: 'value' in known ? known.value.slice(0, REVISION_CHARACTERS) : '',
          })
        : text}
    </span>
  )
}

function useColumns() {
  const t = useTranslations('tasks')
  return useMemo(
    () =>
      columnsOf<Line>([
        {
          id: 'hint',
          header: t('hint'),
          width: 'w-1/2',
          card: 'title',
          wrap: true,
          cell: (line) => <span className="break-all font-mono text-sm">{line.hint}</span>,
        },
        {
          id: 'status',
          header: t('status'),
          card: 'corner',
          cell: (line) => (
            <StatusBadge {...STYLES[line.status]}>{t(`contextStatus.${line.status}`)}</StatusBadge>
          ),
        },
        {
          id: 'reason',
          header: t('reason'),
          width: 'w-1/2',
          wrap: true,
          cell: (line) => (line.reason ? <Reason text={line.reason} /> : null),
        },
        {
          id: 'tokens',
          header: t('tokens'),
          card: 'fact',
          align: 'end',
          cell: (line) => (typeof line.tokens === 'number' ? <Count value={line.tokens} /> : null),
        },
      ]),
    [t],
  )
}
