/**
 * Edits by hand of the garden's branch become events, so that open pages read what they show again ([apply#edits-by-hand]). What the engine
 * commits says so by its own transition; a commit without the trailer of a proposal came past the console.
 */
import sql from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import { proposalOfCommit } from '#domain/proposal/commit-message.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { GitCommit } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'

const NAME = 'garden.edited'
const RESOURCE = { type: 'component', id: 'git_garden' } as const
/** The key of the advisory lock ("edit" in bytes). */
const EDIT_LOCK = 0x65646974
/** More at once are one edit whose beginning is not looked for. */
const MAX_COMMITS = 200

/**
 * One event for the commits by hand between `since` and the head; the head, from which the next look goes on. Of several workers that see
 * the same edit one records it: each event names the newest commit of its edit.
 */
export async function recordEdits(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  since: string | null,
): Promise<string> {
  const head = await garden.head()
  const from = since ?? (await lastRecorded(db))
  if (from === null || from === head) return head
  const commits = await garden.log({ from: head, until: from, limit: MAX_COMMITS })
  const byHand = commits.filter(({ message }) => proposalOfCommit(message) === null)
  if (byHand[0]) await recordOnce(db, byHand[0], { from, commits: byHand.length })
  return head
}

const recordOnce = (
  db: Db,
  { oid, author }: GitCommit,
  { from, commits }: { from: string; commits: number },
): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query(sql`SELECT pg_advisory_xact_lock(${EDIT_LOCK})`)
    const { rowCount } = await tx.query(
      sql`SELECT 1 FROM event WHERE name = ${NAME} AND to_status = ${oid} LIMIT 1`,
    )
    if (rowCount) return
    await recordEvent(tx, {
      name: NAME,
      actor: APPLY_ENGINE,
      resource: RESOURCE,
      from,
      to: oid,
      details: { commits, author: author.name.slice(0, 200) },
    })
  })

/** The newest edit that is known: after a restart the look goes on from there. */
async function lastRecorded(db: Db): Promise<string | null> {
  const { rows } = await db.query<Row<'event', 'to_status'>>(
    sql`SELECT to_status FROM event WHERE name = ${NAME} ORDER BY id DESC LIMIT 1`,
  )
  return rows[0]?.to_status ?? null
}
