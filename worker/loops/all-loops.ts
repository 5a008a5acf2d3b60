/**
 * What a worker does, as a list of loops in the order of their start; they stop in the reverse order. Several workers do the same side
 * by side: every loop takes its work row by row, or holds a lease for it.
 */

import { createEngine } from '#server/apply/engine.ts'
import { openGardenRemote } from '#server/composition/open-garden-remote.ts'
import { transferLeases } from '#server/jobs/leases.ts'
import { nlmClientOf } from '#server/jobs/nlm-client.ts'
import { flushMeter } from '#server/metrics/totals.ts'
import type { Services } from '#server/services.ts'
import { createPipeline } from '#worker/handlers/job-pipeline.ts'
import { jobHandlers } from '#worker/handlers/registry.ts'
import { agentsLoop } from './agents.loop.ts'
import { alertDeliveryLoop, alertsLoop } from './alerts.loop.ts'
import { applyLoop, applyRecoveryLoop } from './apply.loop.ts'
import { applyCheckLoop } from './apply-check.loop.ts'
import { auditHeadsLoop, auditVerificationLoop } from './audit.loop.ts'
import { expiryLoop } from './expiry.loop.ts'
import { gardenCheckLoop, pushLoop } from './garden-care.loop.ts'
import { gardenEditsLoop } from './garden-edits.loop.ts'
import { healthLoop } from './health.loop.ts'
import { heartbeatLoop } from './heartbeat.loop.ts'
import { inboxLoop } from './inbox.loop.ts'
import { jobWatchLoop } from './job-watch.loop.ts'
import { labelsLoop } from './labels.loop.ts'
import { leadershipLoop } from './leadership.loop.ts'
import type { Loop } from './loop.ts'
import { membridgeSyncLoop } from './membridge-sync.loop.ts'
import { metricSeriesLoop, metricsLoop } from './metrics.loop.ts'
import { objectSweepLoop } from './object-sweep.loop.ts'
import { orchestratorLoop } from './orchestrator.loop.ts'
import { projectorLoop } from './projector.loop.ts'
import { reaperLoop } from './reaper.loop.ts'
import { retentionLoop } from './retention.loop.ts'
import { reviewOrderLoop } from './review-order.loop.ts'
import { runLoops } from './runs.loop.ts'
import { fleetLoop, taskCancelLoop, taskDispatchLoop, taskReaperLoop, taskRetryLoop } from './runtime.loop.ts'
import { scheduleLoops } from './schedules.loop.ts'
import { sealerLoop } from './sealer.loop.ts'
import { storeConditionsLoop } from './store-conditions.loop.ts'
import { webPushLoop } from './web-push.loop.ts'
import { recordStopped, workerPresenceLoop } from './worker-presence.loop.ts'

/** What shows a person whether all works. */
const FIRST: ReadonlySet<string> = new Set(['worker-presence', 'sealer', 'health'])
/** The first ticks of the others, nearly forty at once, would take the processor from it. */
const OTHERS_AFTER_MS = 1_000

/** A loop with what is left to do once it has stopped. */
export type WorkerLoop = Loop & { after?: () => Promise<unknown> }

export const workerLoops = (services: Services, holder: string): WorkerLoop[] =>
  allLoops(services, holder).map((loop) =>
    FIRST.has(loop.name)
      ? loop
      : { ...loop, firstAfterMs: Math.max(loop.firstAfterMs ?? 0, OTHERS_AFTER_MS) },
  )

function allLoops(services: Services, holder: string): WorkerLoop[] {
  const nlm = nlmClientOf(services.env)
  const engine = createEngine(services)
  const runs = runLoops(services, holder, nlm)
  const projector = projectorLoop(services, holder)
  const schedules = scheduleLoops(services, holder)
  const [scheduleLoop, triggerLoop] = schedules.loops
  const conditions = storeConditionsLoop(services)
  const run = createPipeline(services, jobHandlers(services, nlm))
  const jobs = orchestratorLoop(services, { holder, concurrency: services.env.WORKER_JOBS, run })
  const heads = auditHeadsLoop(services)
  const dispatch = taskDispatchLoop(services)
  const [runsLoop, runHeartbeat] = runs.loops as [Loop, Loop]
  return [
    { ...workerPresenceLoop(services, holder), after: () => recordStopped(services.db, holder) },
    // The last to write: it catches up with what the head is signed over.
    { ...projector, after: projector.stop },
    heads,
    sealerLoop(services),
    { ...metricsLoop(services), after: () => flushMeter(services.db) },
    metricSeriesLoop(services),
    reaperLoop(services, { nlm }),
    heartbeatLoop(services, holder),
    runHeartbeat,
    agentsLoop(services),
    labelsLoop(services),
    healthLoop(services, conditions.fault),
    conditions,
    alertsLoop(services),
    alertDeliveryLoop(services),
    webPushLoop(services),
    auditVerificationLoop(services, holder),
    objectSweepLoop(services, holder),
    retentionLoop(services),
    expiryLoop(services),
    membridgeSyncLoop(services),
    leadershipLoop(services),
    taskReaperLoop(services),
    fleetLoop(services),
    taskRetryLoop(services),
    taskCancelLoop(services),
    dispatch,
    scheduleLoop,
    { ...triggerLoop, after: schedules.stop },
    reviewOrderLoop(services),
    inboxLoop(services),
    applyCheckLoop(services),
    gardenEditsLoop(services),
    gardenCheckLoop(services),
    pushLoop(services, openGardenRemote(services.env)),
    applyRecoveryLoop(engine),
    applyLoop(engine),
    jobWatchLoop(services, { holder, nlm }),
    { ...runsLoop, after: runs.stop },
    { ...jobs, after: () => jobs.drain().then(() => transferLeases(services.db, holder)) },
  ]
}
