/** What moves each metric: acts on the real ledger, queue, garden and gateway. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER, SCHEDULER } from '#domain/authority/caller.ts'
import { deliverDue } from '#server/alerts/delivery/deliver-due.ts'
import { sendTest } from '#server/alerts/send-test.ts'
import { applyDue } from '#server/apply/apply-due.ts'
import { createEngine } from '#server/apply/engine.ts'
import { contentOf, ruleOn } from '#server/approval-rules/testing/rule-kit.ts'
import type { WholeGateway } from '#server/http/testing/whole-gateway.ts'
import { reapLeases } from '#server/jobs/leases.ts'
import { failJob, requeueJob } from '#server/jobs/operate-job.ts'
import { recordRefusedWrite } from '#server/jobs/record-refused-write.ts'
import { backOffJob, markExhaustedDead, releaseJobs } from '#server/jobs/retry.ts'
import {
  addAgent,
  addJob,
  call,
  complete,
  endBackoff,
  expireLeases,
  hold,
  OWNER,
  type Room,
} from '#server/jobs/testing/queue-room.ts'
import { create } from '#server/ledger/create.ts'
import type { Database } from '#server/ledger/database.ts'
import { transition } from '#server/ledger/transition.ts'
import { sweepObjects } from '#server/objects/sweep-objects.ts'
import { casKey, sha256Hex } from '#server/ports/object-store.ts'
import {
  approve,
  editOf,
  humanCommit,
  type Kit,
  noteOf,
  propose,
} from '#server/proposals/testing/garden-kit.ts'
import { checkpointStep } from '#server/runs/step-transitions.ts'
import { addTask, addWorker, failure, lease, report, shownBy } from '#server/runtime/testing/runtime-room.ts'
import { probeHealth } from '#server/system/probe-health.ts'
import { createPipeline } from '#worker/handlers/job-pipeline.ts'
import { heartbeatLoop } from '#worker/loops/heartbeat.loop.ts'
import type { Loop } from '#worker/loops/loop.ts'
import { workerPresenceLoop } from '#worker/loops/worker-presence.loop.ts'
import { instantPhases } from './instant-phases.ts'

export type World = {
  gateway: WholeGateway
  /** The ledger as the worker has it. */
  worker: Database
  room: Room
  kit: Kit
  /** A request of the owner. */
  get: (path: string, signal?: AbortSignal) => Promise<Response>
  /** Ends the streams that were opened. */
  streams: AbortController[]
}

const inBackoff = async (w: World, max_attempts?: number) => {
  const id = await addJob(w.worker, max_attempts ? { max_attempts } : {})
  const job = await hold(w.room, id)
  await backOffJob(w.room, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message: 'late' })
  return id
}
const exhausted = async (w: World) => {
  const id = await inBackoff(w, 1)
  await endBackoff(w.worker, id)
  await releaseJobs(w.worker)
  const job = await hold(w.room, id)
  await backOffJob(w.room, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message: 'late' })
}
let runs = 0
/** A run of an agent of its own, by the ledger's own statements, as far as these events. */
async function run(w: World, ...events: ('accept' | 'start' | 'resume' | 'complete')[]): Promise<string> {
  const run_id = `run_${++runs}`
  const agent_slug = await addAgent(w.worker, `runner-${runs}`)
  await create(w.worker, {
    machine: 'run',
    actor: OWNER,
    values: { run_id, agent_slug, requested_by: 'owner' },
  })
  const more = {
    accept: sql`queued_at = clock_timestamp()`,
    start: sql`fence = 1, started_at = clock_timestamp(), lease_expires_at = clock_timestamp() + interval '1 minute', lease_holder = 'w'`,
    resume: sql`resumes = 1`,
    complete: sql`finished_at = clock_timestamp()`,
  }
  for (const event of events)
    await transition(w.worker, {
      machine: 'run',
      event,
      actor: ORCHESTRATION_LAYER,
      where: sql`o.run_id = ${run_id}`,
      set: more[event],
    })
  return run_id
}
async function step(w: World) {
  const runId = await run(w, 'accept', 'start')
  await w.worker.query(sql`INSERT INTO run_step (run_id, step, fence) VALUES (${runId}, 1, 1)`)
  await w.worker.transaction((tx) =>
    checkpointStep(tx, { runId, fence: 1 }, { step: 1, output: {}, attempts: [] }),
  )
}
let notes = 0
const newNote = (w: World) => propose(w.kit, noteOf(`Beds/New-${++notes}.md`, `# Bed ${notes}\n`))
/** A new note that a rule of its own approves. */
async function matchedNote(w: World) {
  const folder = `Ruled-${++notes}`
  await ruleOn(w.kit, contentOf({ action: 'propose-note', 'target.path': { prefix: `notes/${folder}/` } }))
  await propose(w.kit, noteOf(`${folder}/Note.md`, `# Bed ${notes}\n`))
}
const applyAll = (w: World) => applyDue(createEngine({ ...w.gateway.services, db: w.worker }))
/** An edit of lines that somebody changes by hand before it is applied. */
async function conflict(w: World) {
  const diff = { type: 'replace', text: '# North bed\n\nBeans.\n\nWatered on Mondays.\n' }
  await approve(w.kit, await propose(w.kit, editOf('notes/Beds/North.md', { diff })))
  await humanCommit(w.kit, 'Beds/North.md', '# North bed\n\nPeas.\n\nWatered on Mondays.\n')
  await w.worker.query(
    sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE apply_not_before IS NOT NULL`,
  )
  await applyAll(w)
}
const good = async () => ({ status: 'healthy' as const, message: null })
const probe = (w: World) =>
  probeHealth({
    ...w.gateway.services,
    db: w.worker,
    gardenState: good,
    nlmBackend: good,
    controlPlane: good,
    schema: good,
    storeFault: () => null,
  })
const openStreams = async (w: World, n: number) => {
  for (let i = 0; i < n; i++) {
    const stop = new AbortController()
    w.streams.push(stop)
    await w.get('/api/v1/events/stream', stop.signal)
  }
}
const fault = (w: World) =>
  w.worker.query(
    sql`INSERT INTO projection_fault (resource_type, resource_id, object_key, message) VALUES ('run', ${`r${++runs}`}, 'k', 'm')`,
  )
/** Passes of the sweep so many hours from now, over one object that nothing refers to. */
const sweepAll = async (w: World, ...hours: number[]) => {
  const { store } = w.gateway.services
  const bytes = Buffer.from(randomUUID())
  await store.create(casKey(sha256Hex(bytes)), bytes)
  for (const hour of hours) {
    await w.worker.query(sql`UPDATE object_sweep SET next_at = clock_timestamp()`)
    const now = new Date(Date.now() + hour * 3_600_000)
    await sweepObjects({ db: w.worker, store }, { holder: 'w', now })
  }
}
const job = async (w: World) => hold(w.room, await addJob(w.worker))

const tickOf = (loop: Loop) => loop.tick(new AbortController().signal, () => undefined)

const retried = async (w: World) => {
  await endBackoff(w.worker, await inBackoff(w))
  await releaseJobs(w.worker)
}
const renewed = async (w: World) => {
  await job(w)
  await tickOf(heartbeatLoop({ db: w.worker }, 'worker-1'))
}
const dead = async (w: World) => {
  await exhausted(w)
  await markExhaustedDead(w.worker)
}
/** A job that failed and is in the queue again. */
export const requeued = async (w: Pick<World, 'worker' | 'room'>) => {
  const input = { job_id: await addJob(w.worker), reason: 'again' }
  await failJob(w.room, input, OWNER)
  await requeueJob(w.room, input, OWNER)
}
const written = async (w: World) => {
  const parts = { db: w.worker, env: w.gateway.services.env, log: w.gateway.services.log }
  await createPipeline(parts, { RESEARCH: instantPhases() } as never)(await job(w))
}
const refusedWrite = async (w: World) => recordRefusedWrite(w.worker, await job(w), 'commit')
const called = async (w: World) => call(w.room, await addJob(w.worker))
const applied = async (w: World) => {
  await approve(w.kit, await newNote(w))
  await w.worker.query(
    sql`UPDATE proposal SET apply_not_before = clock_timestamp() WHERE apply_not_before IS NOT NULL`,
  )
  await applyAll(w)
}
const expired = async (w: World) => {
  await expireLeases(w.worker, [(await job(w)).job_id])
  await reapLeases(w.room)
}
const alert = (w: World) =>
  create(w.worker, {
    machine: 'alert',
    actor: SCHEDULER,
    values: {
      ...{ alert_id: `alert-${++runs}`, rule: 'StorageFull', severity: 'warning', resource: `disk-${runs}` },
      ...{ condition: 'storage_used', value: 0.9, opened_at: new Date(), read_at: new Date() },
    },
  })
/** A message to a webhook that takes it. */
async function delivered(w: World) {
  const env = { ...w.gateway.services.env, ALERT_WEBHOOK_URL: 'https://hooks.example.org/garden' }
  await sendTest({ db: w.worker, env }, OWNER)
  const senders = { webhook: async () => ({ kind: 'delivered' }) as const }
  await deliverDue({ db: w.worker, log: w.gateway.services.log, senders })
}
/** A push to the remote that failed a second ago. */
const remoteFails = (w: World) => {
  const { env } = Object.assign(w.gateway.services, {
    env: { ...w.gateway.services.env, GARDEN_REMOTE: '/remote.git' },
  })
  return w.worker.query(sql`UPDATE garden_remote SET address = ${env.GARDEN_REMOTE}, problem = 'unreachable', failures = 1,
    failing_since = clock_timestamp() - interval '1 second'`)
}
/** What a scan remembers of a lease and a held lock. */
const led = (w: World) =>
  w.worker.query(sql`INSERT INTO membridge_lease (canonical_id, lease_state, epoch, term, remaining_seconds, observed_at, lock_state)
    VALUES ('mem', 'valid', 7, 3, 60, clock_timestamp(), 'active')`)
const node = (w: World) => addWorker(w.worker, `node-${++runs}`)
/** A task that its worker answers with a failure that no repeat mends. */
async function failedTask(w: World) {
  const granted = await lease(w.worker, await addTask(w.worker), await node(w))
  const room = { db: w.worker, store: w.gateway.services.store, env: { RUNTIME_REQUIRE_LEASE: false } }
  await report(
    room,
    granted.lease.task_id,
    shownBy(granted),
    failure('No such file', { error_code: 'invalid_context' }),
  )
}
const waiting = (w: World) => addJob(w.worker)
const nothing = async () => undefined

/** Page 10 §3 as it is written, and the act that moves each: name, type, labels, act. */
export const MOVES: readonly [string, string, string, (w: World) => Promise<unknown>][] = [
  ['job_queue_depth', 'gauge', 'jobType tenant', waiting],
  ['job_latency_seconds', 'histogram', 'jobType tenant phase', job],
  ['job_failures_total', 'counter', 'jobType tenant code', (w) => inBackoff(w)],
  ['job_retry_total', 'counter', 'jobType tenant', retried],
  ['lease_extensions_total', 'counter', 'tenant', renewed],
  ['garden_jobs', 'gauge', 'status', waiting],
  ['garden_job_transitions_total', 'counter', 'from to', job],
  ['garden_job_start_seconds', 'histogram', 'jobType tenant', called],
  ['garden_job_seconds', 'histogram', 'jobType tenant', async (w) => complete(w.room, await called(w))],
  ['garden_job_dead_total', 'counter', 'jobType', dead],
  ['garden_job_requeued_total', 'counter', 'jobType', requeued],
  ['garden_artifact_write_seconds', 'histogram', 'outcome', written],
  ['garden_context_assembly_seconds', 'histogram', 'outcome', called],
  ['garden_nlm_call_seconds', 'histogram', 'outcome', async (w) => complete(w.room, await called(w))],
  ['garden_runs_total', 'counter', 'agent status trigger', (w) => run(w, 'accept', 'start', 'complete')],
  ['garden_run_seconds', 'histogram', 'agent', (w) => run(w, 'accept', 'start', 'complete')],
  ['garden_run_step_seconds', 'histogram', 'step', step],
  ['garden_runs_running', 'gauge', '', (w) => run(w, 'accept', 'start')],
  ['garden_runs_queued', 'gauge', '', (w) => run(w, 'accept')],
  ['garden_run_resumes_total', 'counter', '', (w) => run(w, 'accept', 'start', 'resume')],
  ['garden_proposals', 'gauge', 'status', newNote],
  ['garden_proposal_age_seconds_max', 'gauge', 'action', newNote],
  ['garden_proposal_decision_seconds', 'histogram', 'action', async (w) => approve(w.kit, await newNote(w))],
  ['garden_proposal_decisions_total', 'counter', 'decision', async (w) => approve(w.kit, await newNote(w))],
  ['garden_apply_seconds', 'histogram', 'repository', applied],
  ['garden_apply_failures_total', 'counter', 'code', conflict],
  ['garden_rule_matches_total', 'counter', 'rule mode', matchedNote],
  ['garden_inbox_received_total', 'counter', '', newNote],
  ['garden_inbox_entries_total', 'counter', 'source outcome', newNote],
  ['garden_leases_active', 'gauge', '', job],
  ['garden_lease_expired_total', 'counter', '', expired],
  ['garden_fence_refused_total', 'counter', '', refusedWrite],
  ['garden_tasks', 'gauge', 'status', (w) => addTask(w.worker)],
  ['garden_task_attempts_total', 'counter', 'outcome', failedTask],
  ['garden_tasks_ended_total', 'counter', 'status code', failedTask],
  ['garden_task_start_seconds', 'histogram', '', failedTask],
  ['garden_task_seconds', 'histogram', '', failedTask],
  ['garden_worker_nodes', 'gauge', 'status', node],
  ['garden_worker_breakers', 'gauge', 'state', node],
  ['garden_workers', 'gauge', 'status', (w) => tickOf(workerPresenceLoop({ db: w.worker }, 'w'))],
  ['garden_worker_heartbeat_age_seconds', 'gauge', 'worker', nothing],
  ['garden_search_seconds', 'histogram', '', (w) => w.get('/api/v1/notes?q=leeks')],
  ['garden_http_requests_total', 'counter', 'route method code', (w) => w.get('/api/v1/jobs')],
  ['garden_http_seconds', 'histogram', 'route method code', (w) => w.get('/api/v1/jobs')],
  ['garden_refusals_total', 'counter', 'role', (w) => w.get('/api/v1/jobs/nonsense')],
  ['garden_rate_limited_total', 'counter', 'role', (w) => openStreams(w, 9)],
  ['garden_stream_clients', 'gauge', 'kind', nothing],
  ['garden_outbox_backlog', 'gauge', 'kind', waiting],
  ['garden_audit_unmirrored', 'gauge', 'kind', waiting],
  ['garden_storage_probe_seconds', 'histogram', 'kind', probe],
  ['garden_storage_used_ratio', 'gauge', 'kind', nothing],
  ['garden_remote_lag_seconds', 'gauge', '', remoteFails],
  ['garden_leadership_epoch', 'gauge', 'project', led],
  ['garden_leadership_term', 'gauge', 'project', nothing],
  ['garden_leadership_expires_seconds', 'gauge', 'project', nothing],
  ['garden_push_lock_held', 'gauge', 'project', nothing],
  ['garden_objects_unreferenced', 'gauge', '', (w) => sweepAll(w, 25)],
  ['garden_objects_removed_total', 'counter', 'reason', (w) => sweepAll(w, 25, 27)],
  ['garden_projection_faults', 'gauge', '', fault],
  ['garden_incidents_open', 'gauge', 'severity', alert],
  ['garden_deadletter_depth', 'gauge', 'jobType tenant', nothing],
  ['garden_webhook_deliveries_total', 'counter', 'outcome', delivered],
]
