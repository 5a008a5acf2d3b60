/**
 * The Apply Engine ([apply#steps]): an approved proposal becomes exactly one commit in the garden.
 *
 * take → [look for the trailer → read at HEAD → compute → write objects → move the branch] → APPLIED → publish.
 *
 * Everything in brackets and the APPLIED row happen in one ledger transaction that holds the repository's advisory lock (one
 * writer at a time) and the proposal's row under its fence. So an engine that lost its lease cannot move the branch after a
 * successor has decided: it does not get the row. The branch moves only by compare-and-set, whatever the locks say.
 *
 * How it fails: killed before the branch moved, the proposal stays APPLYING without a commit and recovery applies it again; killed after,
 * the trailer `Proposal-Id` is found first and the row follows the commit. A failure that leaves the branch untouched is FAILED
 * ([apply#failure-codes]); one whose outcome is not known leaves APPLYING for recovery. A lost publication is repeated from the last
 * published commit.
 */
import { randomUUID } from 'node:crypto'
import { NODE } from '#server/ledger/event-fields.ts'
import type { Services } from '#server/services.ts'

/** The durable points of [apply#steps], for tests that kill an engine there. */
export const CHECKPOINTS = [
  'taken',
  'looked',
  'computed',
  'written',
  'moved',
  'recorded',
  'published',
] as const
export type Checkpoint = (typeof CHECKPOINTS)[number]

type EngineServices = Pick<Services, 'db' | 'garden' | 'store' | 'log' | 'entryHandlers'>

export type Engine = EngineServices & {
  /** Who holds the apply lease: host, process, and a mark of this engine. */
  holder: string
  /** Called at each point; does nothing in the product. */
  checkpoint: (name: Checkpoint) => Promise<void> | void
  /** Called after a commit has been recorded and published: agents and indexes follow the garden. */
  onApplied: (commit: string) => Promise<void>
  /** Waits between attempts while the storage does not answer. */
  pause: (ms: number) => Promise<void>
}

export type EngineOptions = Partial<Pick<Engine, 'checkpoint' | 'onApplied' | 'pause'>>

/** An engine of this process; several side by side, in one process or many, are normal. */
export const createEngine = (services: EngineServices, options: EngineOptions = {}): Engine => ({
  db: services.db,
  garden: services.garden,
  store: services.store,
  log: services.log,
  entryHandlers: services.entryHandlers,
  holder: `${NODE}:${process.pid}:${randomUUID().slice(0, 8)}`,
  checkpoint: options.checkpoint ?? (() => {}),
  onApplied: options.onApplied ?? (async () => {}),
  pause: options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
})
