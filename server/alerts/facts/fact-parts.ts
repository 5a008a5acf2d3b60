import sql, { type Sql } from 'sql-template-tag'
import type { Reading, Standing, Unknown } from '#domain/alert/alert.rules.ts'
import type { RuleName } from '#domain/alert/conditions.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Services } from '#server/services.ts'

/**
 * What reading the facts needs. `now` is the moment of the database clock that they are read for: every statement of one look compares with
 * the same.
 */
export type FactParts = {
  db: Db
  env: Pick<Services['env'], 'GARDEN_REMOTE'>
  now: Date
  standing: readonly Standing[]
  /** The share of the disk below `BLOOM_HOME` that is used. */
  usedShare(): Promise<number>
}

export type Fact = Reading | Unknown

/** So many are counted, and no more: a count of that size says "at least". */
export const COUNT_CAP = 1_000
/** So many resources of one rule have alerts of their own; those that have one come first. */
export const RESOURCES = 200

/** `now - seconds` as SQL. */
export const ago = (now: Date, seconds: number): Sql =>
  sql`(${now}::timestamptz - make_interval(secs => ${seconds}))`

/** The resources of a rule's standing alerts. */
export const resourcesOf = (standing: readonly Standing[], rule: RuleName): string[] =>
  standing.filter((alert) => alert.rule === rule).map(({ resource }) => resource)
