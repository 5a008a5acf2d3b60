'use client'
import { useMemo } from 'react'
import { useFormatter, useLocale, useTranslations } from 'use-intl/react'
import type { SelectionView as Selection } from '#contracts/llm-task.contract.ts'
import { formatDuration } from '#lib/duration.ts'
import { Count } from '#ui/count.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Link } from '#ui/link.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { workerHref } from '../input.ts'
import { type Considered, type Language, reasonOf, selectionSentence } from '../selection-sentence.ts'
import { VERDICT_STYLES } from '../status.ts'

function useLanguage(): Language {
  const t = useTranslations('tasks')
  const format = useFormatter()
  const locale = useLocale()
  return useMemo(
    () => ({
      t,
      clock: (at) => format.dateTime(new Date(at), { timeStyle: 'short' }),
      duration: (ms) => formatDuration(ms, locale),
    }),
    [t, format, locale],
  )
}

type Props = {
  selection: Selection
  /** It is how the choice would be made now, not how it was made. */
  waiting?: boolean
  /** The sentence alone, without the table. */
  short?: boolean
}

/** Why a task went to a worker, or to none: one sentence, and a table of all that were considered. */
export function SelectionView({ selection, waiting = false, short = false }: Props) {
  const language = useLanguage()
  const sentence = selectionSentence(selection, language, { waiting })
  if (short) return <span className="break-words text-sm text-ink-2">{sentence}</span>
  return (
    <>
      <p className="mb-3 max-w-prose">{sentence}</p>
      {selection.considered.length > 0 ? <Table selection={selection} language={language} /> : null}
    </>
  )
}

function Table({ selection, language }: { selection: Selection; language: Language }) {
  const { considered } = selection
  return (
    <DataTable
      label={language.t('table')}
      columns={useColumns(selection, language)}
      rows={considered}
      rowId={(one) => one.worker_id}
      rowName={(one) => one.name}
      scope={`${selection.at} ${considered.map((one) => one.worker_id).join(' ')}`}
      keyboard={false}
      empty={null}
    />
  )
}

function useColumns(selection: Selection, language: Language) {
  return useMemo(() => {
    const { t } = language
    return columnsOf<Considered>([
      {
        id: 'worker',
        header: t('worker'),
        card: 'title',
        cell: (one) => (
          <Link quiet href={workerHref(one.worker_id)} className="font-medium">
            {one.name}
          </Link>
        ),
      },
      {
        id: 'verdict',
        header: t('verdict'),
        card: 'corner',
        cell: (one) => (
          <StatusBadge {...VERDICT_STYLES[one.verdict]}>{t(`verdicts.${one.verdict}`)}</StatusBadge>
        ),
      },
      {
        id: 'reason',
        header: t('reason'),
        width: 'w-full',
        wrap: true,
        cell: (one) => <span className="text-ink-2">{reasonOf(one, selection, language)}</span>,
      },
      {
        id: 'slots',
        header: t('freeSlots'),
        card: 'fact',
        align: 'end',
        cell: (one) => <Count value={one.free_slots} />,
      },
      {
        id: 'heartbeat',
        header: t('heartbeat'),
        card: 'fact',
        align: 'end',
        cell: (one) =>
          one.last_heartbeat === null ? (
            <span className="text-ink-3">{t('never')}</span>
          ) : (
            <RelativeTime at={one.last_heartbeat} className="text-ink-3" />
          ),
      },
    ])
  }, [selection, language])
}
