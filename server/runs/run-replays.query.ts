import type { RunDetail } from '#contracts/run.contract.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { rowsOf, selected } from '#server/ledger/rows.ts'
import { executorOf } from './run-objects.ts'
import type { CallRow, RunRow, StepRow } from './run-row.ts'

const MAX_SHOWN = 10

/** How a run is related to others: the latest replays of it, and why it replays another itself. */
export async function readReplays(
  reads: Reads,
  run: RunRow,
): Promise<Pick<RunDetail, 'reruns' | 'rerun_reason'>> {
  const [rows, asked] = await Promise.all([
    reads.run.findMany({
      select: selected(['run_id', 'status', 'from_step', 'requested_at']),
      where: { replay_of: run.run_id },
      orderBy: [{ requested_at: 'desc' }, { run_id: 'desc' }],
      take: MAX_SHOWN,
    }),
    run.replay_of === null
      ? null
      : reads.event.findFirst({
          select: { reason: true },
          where: { resource_type: 'run', resource_id: run.run_id, name: 'run.requested' },
          orderBy: { id: 'asc' },
        }),
  ])
  const reruns = rowsOf('run', rows).map(({ from_step, requested_at, ...row }) => ({
    ...row,
    from_step: from_step ?? 1,
    requested_at: requested_at.toISOString(),
  }))
  return { reruns, rerun_reason: asked?.reason ?? null }
}

/** The journal of step 02: of the run that executed it, which may be another. */
export async function readJournal(reads: Reads, run: RunRow, steps: readonly StepRow[]): Promise<CallRow[]> {
  const executed = steps.find((s) => s.step === 2)
  const rows = await reads.runCall.findMany({
    where: { run_id: executorOf(run, executed) },
    orderBy: { call_index: 'asc' },
  })
  return rowsOf('run_call', rows)
}
