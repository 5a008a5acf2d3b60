import type { Mutant } from './mutant.ts'

const LEDGER = 'prisma/migrations/20261121000000_ledger/migration.sql'

/** Runs (R). */
export const pipelineMutants: readonly Mutant[] = [
  {
    invariant: 'R1',
    breaks: 'a tool is called again after a crash',
    file: 'server/runs/journal.ts',
    from: 'if (!row?.outcome) return undefined',
    to: 'return undefined\n      if (!row?.outcome) return undefined',
    test: 'server/runs/crash.test.ts',
    name: 'a worker that stops at a point and comes back too late',
  },
  {
    invariant: 'R2',
    breaks: 'an engine that lost its lease stores the output of a step',
    file: 'server/runs/step-transitions.ts',
    from: 'AND o.fence = ${lease.fence} AND o.steps_completed = ${done.step - 1}`',
    to: 'AND o.steps_completed <= ${done.step} AND ${lease.fence} IS NOT NULL`',
    test: 'server/runs/crash.test.ts',
    name: 'a worker that stops at a point and comes back too late',
  },
  {
    invariant: 'R3',
    breaks: 'the status of a run goes back',
    file: 'server/runs/project-run.ts',
    from: 'behind: !final && Number(revision) < run.revision }',
    to: 'behind: !final || Number(revision) < run.revision + 9 }',
    test: 'server/runs/faults.test.ts',
    name: 'a stale projection of status.json is refused, and nothing is written after the end',
  },
  {
    invariant: 'R4',
    breaks: 'something is written after the end of a run',
    file: 'server/runs/project-run.ts',
    from: 'behind: !final && Number(revision) < run.revision }',
    to: 'behind: Number(revision) <= run.revision || final }',
    test: 'server/runs/faults.test.ts',
    name: 'a stale projection of status.json is refused, and nothing is written after the end',
  },
  {
    invariant: 'R5',
    breaks: 'two runs of an agent go on at once',
    file: LEDGER,
    from: 'CREATE UNIQUE INDEX run_lane ON run (agent_slug)',
    to: 'CREATE INDEX run_lane ON run (agent_slug)',
    test: 'server/runs/queue.test.ts',
    name: 'holds whoever starts: many processes at once, and SQL by hand',
  },
  {
    invariant: 'R7',
    breaks: 'a replay makes another proposal',
    file: 'server/runs/run-ids.ts',
    from: 'uuidv5(`${runId}/${step}/${index}`, NAMESPACE)',
    to: 'uuidv5(`${runId}/${step}/${index}/${Math.random()}`, NAMESPACE)',
    test: 'server/runs/crash.test.ts',
    name: 'a worker that stops at a point and comes back too late',
  },
  {
    invariant: 'R8',
    breaks: 'a run retries beyond its budget',
    file: 'server/runs/step-transitions.ts',
    from: 'UPDATE run SET retries_used = retries_used + 1, attempt',
    to: 'UPDATE run SET retries_used = retries_used, attempt',
    test: 'server/runs/faults.test.ts',
    name: 'the budget is the run’s: when it is spent there is no further try',
  },
  {
    invariant: 'R9',
    breaks: 'a run goes on from an output that was changed behind its back',
    file: 'server/runs/run-step.ts',
    from: '|| jsonDigest(before.output) !== before.output_digest)',
    to: '|| before.output_digest === null)',
    test: 'server/runs/faults.test.ts',
    name: 'an output changed behind the run’s back ends it instead of a guess',
  },
]
