import type { Mutant } from './mutant.ts'

const TASKS = { test: 'server/runtime/tasks.test.ts' }
const BREAKER = { test: 'server/runtime/breaker.test.ts' }
const LEASE = { file: 'server/runtime/lease-task.ts', ...TASKS }
const BEAT = { file: 'server/runtime/beat-task.ts', ...TASKS }
const ENDS = { file: 'server/runtime/end-lease.ts', test: 'server/runtime/lease-ends.test.ts' }
const MIGRATION = 'prisma/migrations/20261128170000_runtime/migration.sql'

/** LLM Tasks and their leases (L). */
export const taskMutants: readonly Mutant[] = [
  {
    ...TASKS,
    invariant: 'L1',
    breaks: 'a report counts under any lease',
    from: "return isLeased && claimHolds(claim, context) ? { kind: 'accept' } : { kind: 'refuse', code: 'FENCE_STALE' }",
    to: "return { kind: 'accept' }",
    file: 'src/domain/task/completion.rules.ts',
    name: 'is refused under a lease that has run out, is over, or is another task’s',
  },
  {
    ...LEASE,
    invariant: 'L2',
    breaks: 'the room is read first and taken afterwards',
    from: 'AND w.active_leases < w.max_concurrency\n',
    to: '\n',
    name: 'never gives a worker more than it takes, whoever asks',
  },
  {
    ...TASKS,
    file: MIGRATION,
    invariant: 'L2',
    breaks: 'the ledger takes one lease more than there is room for',
    from: 'AND active_leases < max_concurrency;',
    to: ';',
    name: 'never gives a worker more than it takes, whoever asks',
  },
  {
    ...BEAT,
    invariant: 'L3',
    breaks: 'heartbeats put the end off for ever',
    from: 'least(clock_timestamp() + make_interval(secs => t.ttl_seconds), t.started_at',
    to: 'greatest(clock_timestamp() + make_interval(secs => t.ttl_seconds), t.started_at',
    name: 'starts the task, and puts the end of its lease off, but not for ever',
  },
  {
    ...BEAT,
    invariant: 'L3',
    breaks: 'a lease that has run out is renewed',
    from: 'where: sql`o.lease_id = ${active.lease_id} AND o.expires_at > clock_timestamp()`,',
    to: 'where: sql`o.lease_id = ${active.lease_id}`,',
    name: 'is refused under a lease that has run out, is over, or is another task’s',
  },
  {
    ...ENDS,
    invariant: 'L4',
    breaks: 'the reaper passes running tasks over',
    from: 'WHERE l.status = ${ACTIVE} AND l.expires_at < clock_timestamp() ORDER BY',
    to: 'WHERE l.status = ${ACTIVE} AND l.last_heartbeat_at IS NULL AND l.expires_at < clock_timestamp() ORDER BY',
    name: 'gives the task to another worker, or marks it dead',
  },
  {
    ...ENDS,
    invariant: 'L5',
    breaks: 'an attempt is counted at its expiry, too',
    from: 'set: sql`${why}, not_before = clock_timestamp(), excluded_worker_id',
    to: 'set: sql`${why}, attempts = t.attempts + 1, not_before = clock_timestamp(), excluded_worker_id',
    name: 'gives the task to another worker, or marks it dead',
  },
  {
    ...ENDS,
    invariant: 'T10',
    breaks: 'handing back costs an attempt',
    from: 'set: sql`attempts = t.attempts - 1, error_code',
    to: 'set: sql`error_code',
    name: 'costs no attempt when the node certainly did not take it',
  },
  {
    ...BREAKER,
    file: 'src/domain/task/breaker.rules.ts',
    invariant: 'T2',
    breaks: 'the breaker opens after two failures',
    from: 'export const OPENS_AFTER = 3',
    to: 'export const OPENS_AFTER = 2',
    name: 'opens after three failures, lets one task try, and closes with an answer',
  },
  {
    ...BREAKER,
    file: 'src/domain/task/selection.rules.ts',
    invariant: 'T2',
    breaks: 'a worker is chosen though its breaker is open',
    from: "w.breaker === 'open' || (",
    to: '(',
    name: 'opens after three failures, lets one task try, and closes with an answer',
  },
  {
    invariant: 'T5',
    breaks: 'the delay is off by one',
    file: 'src/domain/task/failure.rules.ts',
    from: '2 ** (attempts - 1)',
    to: '2 ** attempts',
    test: 'src/domain/task/task.rules.test.ts',
    name: '%s',
  },
  {
    invariant: 'L2',
    breaks: 'a lease is given in two commits',
    file: 'server/runtime/lease-task.ts',
    test: 'server/runtime/runtime-model.test.ts',
    from: 'const [leased] = await transition(tx, {',
    to: 'const [leased] = await transition(db, {',
    name: 'over ',
  },
  {
    invariant: 'L6',
    breaks: 'a report again is done again',
    file: 'server/runtime/complete-task.ts',
    test: 'server/runtime/completion.test.ts',
    from: "if (judged.kind === 'repeat') return storedAnswer(db, taskId, accepted?.leaseId ?? '')\n",
    to: '',
    name: 'keeps the bare answer in one artifact, and answers a repeat alike',
  },
]
