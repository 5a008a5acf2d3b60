/** An audit with two signed heads, mirrored as far as it is sealed, and what a forger would do to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql, { type Sql } from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { testEnv } from '#server/http/testing/gateway.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { auditKey } from '#server/outbox/audit-object.ts'
import { consume } from '#server/outbox/consume.ts'
import { projectEvents } from '#server/outbox/project-events.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { signHead } from '../sign-head.ts'

/** Events at the start. */
export const EVENTS = 24
/** Heads are signed here: one in the middle, one at the end. */
export const MIDDLE = 12

export type Audit = Pick<Services, 'db' | 'store' | 'env'> & { database: Database }

/** `database` is the worker's; what only the web process or the server's superuser may do, they do. */
export class AuditKit {
  readonly database: Database
  readonly web: { db: Database }
  readonly admin: Database
  readonly store: ObjectStore
  readonly audit: Audit
  readonly close: () => Promise<void>

  private constructor(
    urls: { workerUrl: string; webUrl: string; adminUrl: string; drop(): Promise<void> },
    store: ObjectStore,
    folder: string,
  ) {
    this.database = openDatabase(urls.workerUrl)
    this.web = { db: openDatabase(urls.webUrl) }
    this.admin = openDatabase(urls.adminUrl)
    this.store = store
    this.audit = { db: this.database, database: this.database, store, env: testEnv(urls.workerUrl) }
    this.close = async () => {
      await Promise.all([this.database, this.web.db, this.admin].map((opened) => opened.close()))
      await urls.drop()
      await rm(folder, { recursive: true, force: true })
    }
  }

  static async open(): Promise<AuditKit> {
    const folder = await mkdtemp(path.join(tmpdir(), 'audit-'))
    const kit = new AuditKit(await createTestDatabase(), await openDirectoryStore(folder), folder)
    await kit.addEvents(MIDDLE)
    await signHead(kit.audit)
    await kit.addEvents(EVENTS - MIDDLE)
    await signHead(kit.audit)
    return kit
  }

  async addEvents(count: number): Promise<void> {
    for (let n = 0; n < count; n++)
      await recordEvent(this.database, {
        name: 'config.changed',
        actor: GATEWAY,
        resource: { type: 'setting', id: `s-${n}` },
        reason: 'так',
        details: { n },
      })
    await this.sealToMark()
    await this.project()
  }

  async project(): Promise<void> {
    const { database: db, store } = this
    const handle = (events: Parameters<typeof projectEvents>[1]) =>
      projectEvents({ db, store, projectRun: async () => {} }, events)
    while ((await consume(db, { name: 'projector', holder: 'test', handle })) > 0);
  }

  /** Seals until the mark has passed every event, which transactions of other databases on this server may hold back. */
  async sealToMark(): Promise<void> {
    for (;;) {
      await sealAll(this.database)
      const { rows } = await this.database.query(
        sql`SELECT 1 FROM event_head WHERE low = (SELECT max(id) FROM event)`,
      )
      if (rows.length > 0) return
    }
  }

  /** As whoever owns the database, with the triggers off. */
  tamper(...statements: Sql[]): Promise<void> {
    return this.admin.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL session_replication_role = replica`)
      for (const statement of statements) await tx.query(statement)
    })
  }

  /** The key of the object of the event with this number. */
  async keyOf(seq: number): Promise<string> {
    const { rows } = await this.database.query<{ ts: Date; event_id: string }>(
      sql`SELECT ts, event_id FROM event WHERE id = ${idOf(seq)}`,
    )
    return auditKey(rows[0] as (typeof rows)[0])
  }

  async putInstead(key: string, bytes: Uint8Array): Promise<void> {
    await this.store.remove(key)
    await this.store.create(key, bytes)
  }
}

export const idOf = (seq: number) => sql`(SELECT event FROM event_seal WHERE seq = ${seq})`
