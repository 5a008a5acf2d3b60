/**
 * Fills an empty ledger again from the object store and the garden (axiom A1; [rebuild#how-it-works]).
 *
 * One transaction: whoever looks sees an empty ledger or the whole one, and after a kill the command is simply given again. It reads
 * objects and commits and writes neither. An object that cannot be used is named and left out; a store, a repository or a database
 * that does not answer ends the rebuild, and nothing has changed.
 */
import pg from 'pg'
import { TEXT_SETTINGS } from '#server/copies/copied-tables.ts'
import { isUntouched } from '#server/copies/restore-backup.ts'
import { continueSequences, setTriggersAside } from '#server/copies/set-triggers-aside.ts'
import type { Env } from '#server/env.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { EventsLost, findLostEvents, goOnBehind, type LostEvents, recordRebuilt } from './lost-events.ts'
import { nameMissing } from './missing-things.ts'
import type { Fault, Reader } from './read-objects.ts'
import { rebuildAgents } from './rebuild-agents.ts'
import { faultOfChain, rebuildEvents } from './rebuild-events.ts'
import { rebuildInbox } from './rebuild-inbox.ts'
import { rebuildProposals } from './rebuild-proposals.ts'
import { rebuildRuns } from './rebuild-runs.ts'
import { rebuildAddedTags, rebuildArtifacts, rebuildJobs, rebuildRemovals } from './rebuild-work.ts'

export type Rebuild = Reader & {
  client: pg.ClientBase
  garden: GitRepository
  /** The key under which heads were signed, and under which a loss is declared. */
  env: Pick<Env, 'AUDIT_SIGNING_KEY'>
}

export type RebuildParts = Pick<Rebuild, 'store' | 'garden' | 'env'> & {
  /** Goes on without events that are lost, and declares them; otherwise `EventsLost` says which they are. */
  acceptLoss?: boolean
  /** The address of the database for the owner of its tables. */
  url: string
  /** Makes the ledger that of its home, in the transaction that brings the rows. */
  bind(client: pg.ClientBase): Promise<void>
  say(text: string): void
}

export type Rebuilt = {
  /** Rows by table, in the order in which they were made. */
  rows: Record<string, number>
  faults: Fault[]
  /** What is declared lost. */
  lost: LostEvents
  /** The first number at which the chain of events does not hold; null when it does, but for what is declared lost. */
  brokenAt: number | null
}

/** The database has rows already, so it is no place for a rebuild. */
export class LedgerNotEmpty extends Error {
  constructor() {
    super('The database is not empty: a rebuild fills an empty one, and changes nothing in any other')
    this.name = 'LedgerNotEmpty'
  }
}

/** The store holds no event, so there is nothing to fill a ledger from. */
export class NothingStored extends Error {
  constructor() {
    super(
      'The object store holds no event: it is not the store of this home, or nothing was ever written to it',
    )
    this.name = 'NothingStored'
  }
}

/** What is made after the events, each behind those that its rows refer to. */
const PARTS: readonly ((to: Rebuild) => Promise<Record<string, number>>)[] = [
  rebuildInbox,
  rebuildAgents,
  rebuildJobs,
  rebuildRuns,
  rebuildArtifacts,
  rebuildRemovals,
  rebuildProposals,
]

/**
 * All or nothing; throws `LedgerNotEmpty` for a database in which something has happened, `NothingStored` for a store without events,
 * `EventsLost` where numbers of the chain are gone and nobody accepted that.
 */
export async function rebuildLedger({
  url,
  bind,
  say,
  acceptLoss = false,
  ...parts
}: RebuildParts): Promise<Rebuilt> {
  const client = new pg.Client({ connectionString: url, application_name: 'garden-bloom-rebuild' })
  client.on('error', () => {}) // The failing query reports it.
  await client.connect()
  try {
    await client.query(TEXT_SETTINGS)
    await client.query('BEGIN')
    // Nothing can happen in it between the look and the end.
    await client.query('LOCK TABLE event, account, proposal, inbox_entry, run IN EXCLUSIVE MODE')
    if (!(await isUntouched(client))) throw new LedgerNotEmpty()
    const rebuilt = await fill({ ...parts, client }, { say, acceptLoss })
    await bind(client)
    await client.query('COMMIT')
    return rebuilt
  } finally {
    await client.end()
  }
}

async function fill(
  parts: Omit<Rebuild, 'fault'>,
  { say, acceptLoss }: { say(text: string): void; acceptLoss: boolean },
): Promise<Rebuilt> {
  const faults: Fault[] = []
  const to = { ...parts, fault: (key: string, why: string) => void faults.push({ key, why }) }
  const putBack = await setTriggersAside(parts.client)
  const rows: Record<string, number> = {}
  const run = async (part: (typeof PARTS)[number]) => {
    const made = await part(to)
    for (const [table, count] of Object.entries(made)) say(`${table.padEnd(12)} ${count} rows`)
    Object.assign(rows, made)
  }
  await run(rebuildEvents)
  if (rows.event === 0) throw new NothingStored()
  const lost = await findLostEvents(to)
  if (lost.gaps.length > 0 && !acceptLoss) throw new EventsLost(lost)
  await goOnBehind(to, lost)
  for (const part of PARTS) await run(part)
  await nameMissing(to, [...faults])
  await continueSequences(parts.client)
  // Foreign keys are checked now, and no change waits when the triggers come back.
  await parts.client.query('SET CONSTRAINTS ALL IMMEDIATE')
  await putBack()
  await rebuildAddedTags(to)
  await recordRebuilt(to, lost)
  return { rows, faults, lost, brokenAt: (await faultOfChain(parts))?.seq ?? null }
}
