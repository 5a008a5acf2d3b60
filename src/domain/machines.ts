import { agentMachine } from './agent/agent.machine.ts'
import { alertMachine } from './alert/alert.machine.ts'
import { deliveryMachine } from './alert/delivery.machine.ts'
import { inboxMachine } from './inbox/inbox.machine.ts'
import { jobMachine } from './job/job.machine.ts'
import type { Machine } from './kernel/machine.ts'
import { leadershipLeaseMachine } from './leadership/leadership-lease.machine.ts'
import { pushLockMachine } from './leadership/push-lock.machine.ts'
import { selectionMachine } from './leadership/selection.machine.ts'
import { leaseMachine } from './lease/lease.machine.ts'
import { machineKeyMachine } from './machine-key/machine-key.machine.ts'
import { syncMachine } from './membridge/sync.machine.ts'
import { nlmWorkMachine } from './nlm/nlm-work.machine.ts'
import { proposalMachine } from './proposal/proposal.machine.ts'
import { pushMessageMachine } from './push/push-message.machine.ts'
import { questionMachine } from './run/question.machine.ts'
import { runMachine } from './run/run.machine.ts'
import { stepMachine } from './run/step.machine.ts'
import { taskMachine } from './task/task.machine.ts'
import { taskLeaseMachine } from './task/task-lease.machine.ts'
import { zoneMachine } from './zone/zone.machine.ts'

/** The machines whose rows live in the ledger and whose edges its triggers guard. */
export const LEDGER_MACHINES = {
  inbox_entry: inboxMachine,
  proposal: proposalMachine,
  job: jobMachine,
  run: runMachine,
  run_step: { ...stepMachine, name: 'run_step' },
  run_question: questionMachine,
  agent: agentMachine,
  zone: zoneMachine,
  machine_key: machineKeyMachine,
  alert: alertMachine,
  alert_delivery: deliveryMachine,
  push_message: pushMessageMachine,
  membridge_sync: syncMachine,
  membridge_selection: selectionMachine,
  llm_task: taskMachine,
  task_lease: taskLeaseMachine,
} as const

/** Every machine, for the docs and the tests that walk them all. */
export const MACHINES: readonly Machine[] = [
  ...Object.values(LEDGER_MACHINES),
  leadershipLeaseMachine,
  pushLockMachine,
  leaseMachine,
  nlmWorkMachine,
] as readonly Machine[]
