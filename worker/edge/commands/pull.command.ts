import { type PullOptions, type PullOutcome, pull } from '../pull/pull.ts'
import type { BackupManifest } from '../sqlite/safety-backup.ts'
import { openSync, type SyncContext } from '../sync/node-context.ts'
import type { Command, CommandInput, CommandResult } from './command.ts'

/** Brings the remote copy here, in place of this node's database [edge#pull]. */
export const pullCommand: Command = {
  name: 'pull',
  aliases: ['pull_sqlite', 'cm-pull'],
  summary: 'replace the local database by the remote copy, after a safety backup',
  options: { 'no-restart-worker': { type: 'boolean' }, 'accept-local-loss': { type: 'boolean' } },
  endsWhenStopped: true,
  run: (input) => runPull(input),
}

/** The command, with what a test hears of. */
export async function runPull(
  input: CommandInput,
  seams: Pick<PullOptions, 'clock' | 'onStep'> = {},
): Promise<CommandResult> {
  const context = await openSync(input)
  const outcome = await pull(context, {
    ...seams,
    acceptsLoss: input.flags['accept-local-loss'] === true,
    restartsWorker:
      input.flags['no-restart-worker'] !== true && !context.settings.MEMBRIDGE_NO_RESTART_WORKER,
  })
  return { exitCode: 0, lines: linesOf(outcome), json: jsonOf(context, outcome) }
}

function linesOf(outcome: PullOutcome): string[] {
  const { sha256 } = outcome.remote
  if (outcome.result === 'up_to_date') return ['RESULT: already up to date', `remote copy: ${sha256}`]
  const { copy, backup } = outcome
  const ahead = Object.entries({
    observations: backup?.manifest.local_ahead ?? 0,
    ...backup?.manifest.tables_ahead,
  }).filter(([, rows]) => rows > 0)
  return [
    `RESULT: pulled ${sha256}`,
    `observations: ${copy.counts.observations}`,
    `backup: ${backup?.folder ?? 'none, there was no local database'}`,
    ...(ahead.length > 0
      ? [
          `local rows that are in that backup alone: ${ahead.map(([table, rows]) => `${rows} ${table}`).join(', ')}; it is kept until you remove it`,
        ]
      : []),
  ]
}

function jsonOf({ project, canonicalId }: SyncContext, outcome: PullOutcome): Record<string, unknown> {
  const { result, remote } = outcome
  const head = { result, project, canonical_id: canonicalId, sha256: remote.sha256, term: remote.term }
  if (result === 'up_to_date') return head
  const { copy, backup } = outcome
  const { manifest, folder = null } = backup ?? {}
  return { ...head, ...copy.counts, ...aheadOf(manifest), backup: folder }
}

const aheadOf = (manifest: BackupManifest | undefined) => ({
  local_ahead: manifest?.local_ahead ?? 0,
  tables_ahead: manifest?.tables_ahead ?? {},
})
