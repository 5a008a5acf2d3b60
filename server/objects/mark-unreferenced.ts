import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { CONTENT_ADDRESSED, type ObjectStore } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { IN_REMOVAL, MIN_AGE_HOURS } from './object-mark.ts'
import { referencedKeys } from './object-references.ts'

/** Nothing else below the content-addressed folders is the product's, and nothing else is ever removed. */
const ADDRESS = /^(artifacts\/sha256\/[0-9a-f]{64}|contexts\/sha256\/[0-9a-f]{64}\.json)$/
const PAGE = 5_000
const CONCURRENCY = 16
const HOUR_MS = 3_600_000

type Loose = { key: string; bytes: number }
/** `onPage` is called before each page and throws when the pass is to stop. */
export type Pass = { now: Date; onPage(): Promise<void> }

/** Walks through all content-addressed objects: marks the old ones that nothing names, takes marks off what is named again. */
export async function markUnreferenced(
  { db, store }: Pick<Services, 'db' | 'store'>,
  { now, onPage }: Pass,
): Promise<{ listed: number; marked: number }> {
  const counts = { listed: 0, marked: 0 }
  for (const prefix of CONTENT_ADDRESSED) {
    for (let after: string | null = ''; after !== null; ) {
      await onPage()
      const page: Awaited<ReturnType<ObjectStore['list']>> = await store.list(prefix, { after, limit: PAGE })
      const keys = page.keys.filter((key) => ADDRESS.test(key))
      counts.listed += keys.length
      counts.marked += await markPage({ db, store }, keys, now)
      after = page.next
    }
  }
  return counts
}

async function markPage({ db, store }: Pick<Services, 'db' | 'store'>, keys: string[], now: Date) {
  const referenced = await referencedKeys(db, keys)
  await clearMarks(db, [...referenced])
  const standing = await standingMarks(db, keys)
  const loose = keys.filter((key) => !referenced.has(key) && !standing.has(key))
  const old: Loose[] = []
  for (let n = 0; n < loose.length; n += CONCURRENCY) {
    const looked = await Promise.all(loose.slice(n, n + CONCURRENCY).map((key) => ifOld(store, key, now)))
    old.push(...looked.filter((one) => one !== null))
  }
  return old.length === 0 ? 0 : insertMarks(db, old, now)
}

async function ifOld(store: Pick<ObjectStore, 'head'>, key: string, now: Date): Promise<Loose | null> {
  const head = await store.head(key)
  if (!head || now.getTime() - head.modified.getTime() < MIN_AGE_HOURS * HOUR_MS) return null
  return { key, bytes: head.size }
}

/** Of these keys, those whose mark stands. A removed object that is there again, and unreferenced, begins anew. */
async function standingMarks(db: Db, keys: string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ object_key: string }>(
    sql`SELECT m.object_key FROM object_mark m WHERE m.object_key = ANY(${keys}) AND (m.condemned_at IS NULL OR ${IN_REMOVAL})`,
  )
  return new Set(rows.map(({ object_key }) => object_key))
}

async function insertMarks(db: Db, old: Loose[], now: Date): Promise<number> {
  const { rowCount } = await db.query(sql`INSERT INTO object_mark AS m (object_key, bytes, marked_at)
    SELECT i.key, i.bytes, ${now} FROM unnest(${old.map((o) => o.key)}::text[], ${old.map((o) => o.bytes)}::bigint[]) AS i(key, bytes)
    ON CONFLICT (object_key) DO UPDATE SET bytes = excluded.bytes, marked_at = excluded.marked_at, condemned_at = NULL, removed_at = NULL
    WHERE m.condemned_at IS NOT NULL AND NOT ${IN_REMOVAL}`)
  return rowCount ?? 0
}

/** Takes the marks off objects that are not being removed. */
export async function clearMarks(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await db.query(sql`DELETE FROM object_mark WHERE object_key = ANY(${[...keys]}) AND condemned_at IS NULL`)
}
