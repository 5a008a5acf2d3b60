/** Why a queued task waits: kept on the task, for whoever looks at it. */
import sql from 'sql-template-tag'
import type { SelectionView } from '#contracts/llm-task.contract.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { state } from '#server/ledger/states.ts'
import { chooseAmong, chooseWorker, type Look, lookAtWorkers } from './choose-worker.ts'
import { faultOf, type Seen, seenTask, seenTasks, wantedBy } from './seen-task.ts'

/** Why a queued task waits, as it is now; null for a task that is not queued. */
export async function explainWait(db: Db, taskId: string): Promise<SelectionView | null> {
  const task = await seenTask(db, taskId)
  return task && !faultOf(task) ? (await chooseWorker(db, wantedBy(task), 'any')).selection : null
}

/** Keeps why these tasks wait, as far as they are queued, by one look at the workers. */
export async function keepWaits(db: Db, taskIds: readonly string[]): Promise<void> {
  if (taskIds.length === 0) return
  const waiting = (await seenTasks(db, taskIds)).filter((task) => !faultOf(task))
  if (waiting.length === 0) return
  const look = await lookAtWorkers(db, null)
  await keepWhy(
    db,
    waiting.map((task) => whyOf(task, look)),
  )
}

type Why = { task_id: string; fence: number; reason: string; selection: SelectionView }

/** Whoever can be called may be busy while one that fetches has room: then the task waits to be fetched. */
export function whyOf(task: Seen, look: Look): Why {
  const { selection, workerId } = chooseAmong(look, wantedBy(task), 'any')
  const reason = workerId === null ? 'no_worker' : 'to_be_fetched'
  return { task_id: task.task_id, fence: task.fence, reason, selection }
}

/** Written when it changes, not each time somebody looks; a task that somebody changes just now is left. */
export async function keepWhy(db: Db, whys: readonly Why[]): Promise<void> {
  await db.query(sql`WITH why AS (SELECT * FROM jsonb_to_recordset(${json(whys)}::jsonb) AS k(task_id uuid, fence bigint, reason text, selection jsonb)),
      free AS (SELECT t.task_id FROM llm_task t JOIN why USING (task_id)
        WHERE t.status = ${state(taskMachine, 'queued')} AND t.fence = why.fence
          AND (t.wait_reason IS DISTINCT FROM why.reason OR t.selection->'filtered' IS DISTINCT FROM why.selection->'filtered')
        ORDER BY t.task_id FOR NO KEY UPDATE OF t SKIP LOCKED)
    UPDATE llm_task t SET wait_reason = why.reason, selection = why.selection FROM why JOIN free USING (task_id) WHERE t.task_id = why.task_id`)
}
