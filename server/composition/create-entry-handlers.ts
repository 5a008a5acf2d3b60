import { validationRefusal } from '#contracts/error.contract.ts'
import { runParams } from '#contracts/run-commands.contract.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { gateProblems } from '#server/agents/judge-definition.ts'
import type { EntryHandlers } from '#server/inbox/entry-handlers.ts'
import { agentExists } from '#server/inbox/known-targets.query.ts'
import { KNOWN_JOB_TYPES, submitJob } from '#server/jobs/submit-job.ts'
import type { AgentExecutors } from '#server/ports/agent-executor.ts'
import { type QueueLimit, requestRun } from '#server/runs/request-run.ts'

/** Runs and jobs as inbox entries start them, and definitions as they are judged. */
export const createEntryHandlers = (env: QueueLimit, executors: AgentExecutors): EntryHandlers => ({
  definitionErrors: (proposed) => gateProblems(proposed, executors),
  async startRun(tx, run, actor) {
    const params = runParams.safeParse(run.params)
    if (!params.success) return refuse(validationRefusal(params.error))
    const { inboxId, agentSlug: slug, priority, correlationId, trigger, rerun } = run
    const requested = await requestRun(
      tx,
      { slug, params: params.data, priority, trigger, rerun, inboxId, correlationId },
      actor,
      env,
    )
    return requested.ok ? ok({ runId: requested.value.run_id }) : requested
  },
  async startJob(tx, job, actor) {
    const type = KNOWN_JOB_TYPES.find((known) => known === job.jobType)
    if (!type) return refuse({ code: 'VALIDATION_FAILED', message: 'Jobs of this type are not available.' })
    if (!(await agentExists(tx, job.agentSlug)))
      return refuse({ code: 'TARGET_NOT_FOUND', message: 'The target does not exist.' })
    const submitted = await submitJob(
      tx,
      {
        job_id: job.jobId,
        job_type: type,
        agent_slug: job.agentSlug,
        payload: job.payload,
        inbox_entry_id: job.inboxId,
        priority: job.priority,
        correlation_id: job.correlationId,
      },
      actor,
    )
    return submitted.ok ? ok({ jobId: submitted.value.job_id }) : submitted
  },
})
