import { faultOf } from '../push/push-messages.ts'
import { type PushRun, runPush } from '../push/run-push.ts'
import { openSync, type SyncContext } from '../sync/node-context.ts'
import type { Command, CommandResult } from './command.ts'

/** Brings this database to the store; exit code 0, 1 or 3 [edge#push]. */
export const pushCommand: Command = {
  name: 'push',
  aliases: ['push_sqlite', 'cm-push'],
  summary: 'brings claude-mem.db to the store; the worker goes on',
  endsWhenStopped: true,
  run: async (input) => await pushFrom(await openSync(input)),
}

/** The push of a node, with what it printed. Throws `EdgeFault`. */
export async function pushFrom(node: SyncContext): Promise<CommandResult> {
  const run = await runPush(node)
  if (run === null)
    return {
      exitCode: 130,
      lines: ['STOPPED: the push was cancelled; to go on: membridge push'],
      json: { result: 'stopped' },
    }
  if (run.outcome.lock === 'unknown')
    node.say('WARNING: the Push Lock was perhaps not released; it ends by itself')
  const fault = await faultOf(node, run)
  if (fault !== null) throw fault
  return resultOf(run)
}

function resultOf({ outcome, job }: PushRun): CommandResult {
  const { sha256 = null, observations = null, fields } = job.pushed ?? {}
  const term = 'term' in outcome ? outcome.term : null
  if (outcome.outcome === 'up_to_date')
    return {
      exitCode: 0,
      lines: ['RESULT: remote already up to date', `sha256: ${outcome.sha256}`],
      json: { result: 'up_to_date', sha256: outcome.sha256, observations, term },
    }
  const lines = ['RESULT: pushed', `sha256: ${sha256}`, `observations: ${observations}`, `term: ${term}`]
  const push_id = outcome.outcome === 'pushed' ? outcome.pushId : null
  const db_size = fields?.db_size ?? null
  return { exitCode: 0, lines, json: { result: 'pushed', sha256, observations, db_size, term, push_id } }
}
