/** A process that dies within a transaction: its connection is gone, and what it had changed is rolled back by the server. */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'

/** Each transaction loses its connection where its `nth` statement would run, the first being 1. */
export const dyingAt = (db: Db, nth: number): Db => ({
  ...db,
  transaction: (work) => db.transaction((tx) => work(dying(tx, nth))),
})

function dying(tx: Db, nth: number): Db {
  let count = 0
  const self: Db = {
    ...tx,
    query: (statement) =>
      tx.query(++count === nth ? sql`SELECT pg_terminate_backend(pg_backend_pid())` : statement),
    transaction: (work) => tx.transaction(() => work(self)),
  }
  return self
}
