import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { WorkerView } from '#contracts/worker.contract.ts'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Breaker, hasLimits, LastHeartbeat, Limits, Load, WorkerStatus } from './components/worker-facts.tsx'
import { WorkerMenu } from './components/worker-menu.tsx'

/** The columns of the list of workers. */
export function useWorkerColumns() {
  const t = useTranslations('workers')
  return useMemo(
    () =>
      columnsOf<WorkerView>([
        {
          id: 'worker',
          header: t('worker'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (worker) => <Name worker={worker} />,
        },
        {
          id: 'status',
          header: t('status'),
          card: 'line',
          cell: (worker) => <WorkerStatus worker={worker} />,
        },
        {
          id: 'heartbeat',
          header: t('heartbeat'),
          card: 'fact',
          cell: (worker) => <LastHeartbeat worker={worker} />,
        },
        { id: 'load', header: t('load'), card: 'fact', cell: (worker) => <Load worker={worker} /> },
        { id: 'breaker', header: t('breaker'), card: 'fact', cell: (worker) => <Breaker worker={worker} /> },
        {
          id: 'limits',
          header: t('limits'),
          width: 'min-w-52',
          wrap: true,
          cell: (worker) => (hasLimits(worker) ? <Limits worker={worker} /> : null),
        },
        {
          id: 'actions',
          header: <span className="sr-only">{t('actions')}</span>,
          name: t('actions'),
          align: 'end',
          card: 'corner',
          cell: (worker) => <WorkerMenu worker={worker} />,
        },
      ]),
    [t],
  )
}

function Name({ worker: { name, capabilities } }: { worker: WorkerView }) {
  const labels = capabilities.labels.join(', ')
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className="block truncate font-medium" data-tip={name}>
        {name}
      </span>
      {labels ? (
        <span className="block truncate text-sm text-ink-3" data-tip={labels}>
          {labels}
        </span>
      ) : null}
    </span>
  )
}
