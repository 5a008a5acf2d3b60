import { stat } from 'node:fs/promises'
import { EdgeFault } from '../fault.ts'
import { checkIntegrity, countsOf, type DatabaseCounts } from './database-facts.ts'
import { digestFile } from './file-digest.ts'
import { withDatabase } from './open-database.ts'

/**
 * Whether the database is what it should be: content, counts and integrity [edge#verify].
 *
 * Integrity alone is not enough: an old `-wal` that is replayed over a new file leaves a sound database with old rows. So the
 * bytes are compared, and a `-wal` that holds anything is a fault of its own, since SQLite would put it over those bytes.
 */
export type ExpectedContent = { contentSha256: string; counts: DatabaseCounts }

/** Throws `EdgeFault` that says what differs. Changes nothing. */
export async function verifyDatabase(path: string, expected: ExpectedContent): Promise<void> {
  const wal = await stat(`${path}-wal`).catch(() => null)
  if (wal && wal.size > 0)
    throw new EdgeFault(`something wrote to ${path} meanwhile: its -wal holds ${wal.size} bytes`)
  const { contentSha256 } = await digestFile(path)
  if (contentSha256 !== expected.contentSha256)
    throw new EdgeFault(
      `the content of ${path} differs: ${contentSha256} instead of ${expected.contentSha256}`,
    )
  withDatabase(path, {}, (database) => {
    checkIntegrity(database, path)
    const counts = countsOf(database)
    const wrong = (Object.keys(counts) as (keyof DatabaseCounts)[]).find(
      (name) => counts[name] !== expected.counts[name],
    )
    if (wrong)
      throw new EdgeFault(`${path} has ${counts[wrong]} ${wrong} instead of ${expected.counts[wrong]}`)
  })
}

/** A file that was fetched: its digests and counts, after SQLite found it sound. Throws `EdgeFault`. */
export async function examineCopy(
  path: string,
): Promise<ExpectedContent & { sha256: string; bytes: number }> {
  const digest = await digestFile(path)
  const counts = withDatabase(path, {}, (database) => {
    checkIntegrity(database, path)
    return countsOf(database)
  })
  return { ...digest, counts }
}
