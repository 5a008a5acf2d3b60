'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { RunRow } from '#contracts/run.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { useGo } from '#lib/use-go.ts'
import { Button } from '#ui/button.tsx'
import { compareHref } from './compare-run.tsx'
import { RunAgain } from './run-again.tsx'

/** What can be done with the selected runs: one is run again, two are compared. */
export function RunSelection({ ids, rows }: { ids: ReadonlySet<string>; rows: readonly RunRow[] }) {
  const selected = rows.filter((run) => ids.has(run.run_id))
  if (selected.length === 0) return null
  return (
    <div data-chrome className="flex flex-wrap items-center gap-2 pb-2">
      <CompareSelected runs={selected} />
      {selected.length === 1 ? <Again runId={selected[0]?.run_id ?? ''} /> : null}
    </div>
  )
}

function CompareSelected({ runs }: { runs: readonly RunRow[] }) {
  const t = useTranslations('runs')
  const go = useGo()
  const [one, other] = runs
  const no = refusalOf(runs)
  const reason = no ? t(`compare.${no}`) : undefined
  const run = () => {
    if (one && other && !no) go(compareHref(one, other))
  }
  useAction({
    id: 'runs.compare',
    label: t('compare.selected'),
    keys: 'd',
    group: t('title'),
    run,
    ...(reason ? { disabledReason: reason } : {}),
  })
  return (
    <Button keys="d" disabledReason={reason} onClick={run}>
      {t('compare.selected')}
    </Button>
  )
}

function refusalOf(runs: readonly RunRow[]): 'pickTwo' | 'otherAgent' | null {
  const [one, other] = runs
  if (!one || !other || runs.length > 2) return 'pickTwo'
  return one.agent_slug === other.agent_slug ? null : 'otherAgent'
}

/** The list knows a run's question shortened; its parameters are read before they are used again. */
function Again({ runId }: { runId: string }) {
  const trpc = useTRPC()
  const run = useQuery(trpc.runs.get.queryOptions({ run_id: runId }))
  return run.data ? <RunAgain key={runId} run={run.data} /> : null
}
