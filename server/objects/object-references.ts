import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { CONTENT_ADDRESSED } from '#server/ports/object-store.ts'

const [ARTIFACTS, CONTEXTS] = CONTENT_ADDRESSED

const digestOf = (key: string): string => key.slice(ARTIFACTS.length)

/**
 * Those of these keys that something in the ledger names: the row of an artifact, the context of a job or of a run's first step, or an event
 * that tells of an artifact. The last one keeps documents whose row a rebuild could not bring back.
 */
export async function referencedKeys(db: Db, keys: readonly string[]): Promise<Set<string>> {
  const documents = keys.filter((key) => key.startsWith(ARTIFACTS))
  const contexts = keys.filter((key) => key.startsWith(CONTEXTS))
  const found = new Set<string>()
  const add = async (asked: readonly string[], statement: (asked: string[]) => Sql) => {
    const left = asked.filter((key) => !found.has(key))
    if (left.length === 0) return
    const { rows } = await db.query<{ key: string }>(statement(left))
    for (const { key } of rows) found.add(key)
  }
  await add(documents, (left) => sql`SELECT object_key AS key FROM artifact WHERE object_key = ANY(${left})`)
  await add(
    documents,
    (left) => sql`SELECT ${ARTIFACTS}::text || (details ->> 'content_sha256') AS key FROM event
      WHERE name = 'artifact.created' AND details ->> 'content_sha256' = ANY(${left.map(digestOf)})`,
  )
  await add(
    contexts,
    (left) => sql`SELECT DISTINCT context_key AS key FROM job WHERE context_key = ANY(${left})`,
  )
  await add(
    contexts,
    (left) => sql`SELECT DISTINCT output ->> 'context_object' AS key FROM run_step
      WHERE step = 1 AND output ->> 'context_object' = ANY(${left})`,
  )
  return found
}
