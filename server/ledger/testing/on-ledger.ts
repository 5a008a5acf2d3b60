import { type Db, openDatabase } from '../database.ts'

/** Runs the work on one connection of its own, under the account of this address. */
export async function onLedger<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { connections: 1, name: 'test' })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
