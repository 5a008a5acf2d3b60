import { loadSettings } from '../config/settings.ts'
import { databaseSection, hooksSection, identitySection, workerSection } from '../doctor/local-sections.ts'
import { type Section, worstOf } from '../doctor/section.ts'
import { storeSections } from '../doctor/store-sections.ts'
import { canonicalIdOf } from '../identity.ts'
import type { Command } from './command.ts'

/**
 * The state of a node in one report. Reads only: no lease, lock or pointer is written, and no file of the user's [edge#doctor].
 *
 * Exit code 1 on ERROR alone: a worker that sleeps or a hook that is missing does not break scripts.
 */
export const doctor: Command = {
  name: 'doctor',
  aliases: ['cm-doctor'],
  summary:
    'identity, store, lock, database, worker, hooks and leadership; ends with STATUS: OK, DEGRADED or ERROR',
  async run({ host, given }) {
    const loaded = loadSettings(host, given)
    const { values } = loaded
    const project = values.CLAUDE_PROJECT_ID
    const [remote, worker] = await Promise.all([
      storeSections(values, project === undefined ? null : canonicalIdOf(project)),
      workerSection(host, values),
    ])
    const sections: Record<string, [heading: string, section: Section]> = {
      identity: ['[1/5] Project identity', identitySection(host, loaded)],
      store: ['[2/5] MinIO connectivity', remote.store],
      lock: ['[3/5] Lock status', remote.lock],
      database: ['[4/5] SQLite DB health', databaseSection(values, remote.remoteObservations)],
      worker: ['[5/5] Worker health', worker],
      hooks: ['[+] Hooks', hooksSection(host)],
      leadership: ['[+] Leadership', remote.leadership],
    }
    const all = Object.values(sections)
    const status = worstOf(all.map(([, section]) => section.verdict))
    const named = Object.entries(sections).map(([name, [, { verdict, facts }]]) => [
      name,
      { verdict, ...facts },
    ])
    return {
      exitCode: status === 'ERROR' ? 1 : 0,
      lines: [...all.flatMap(([heading, { lines }]) => [heading, ...lines, '']), `STATUS: ${status}`],
      json: { status, ...Object.fromEntries(named) },
    }
  },
}
