/** A PostgreSQL of one's own with the server's default settings, the product's ledger, active agents. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { migrate } from '#server/launch/migrate.mjs'
import { startPostgres } from '#server/launch/postgres.mjs'
import { create } from '#server/ledger/create.ts'
import { type Database, type Db, openDatabase } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { openReads, type Reads } from '#server/ledger/prisma.ts'
import { transition } from '#server/ledger/transition.ts'

export type Stage = {
  url: string
  /** The server's first process. */
  serverPid: number
  database: Database
  reads: Reads
  close(): Promise<void>
}

export async function openStage(settings: Record<string, string | number> = {}): Promise<Stage> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-queue-'))
  fs.chmodSync(home, 0o711)
  const server = await startPostgres({ directory: path.join(home, 'data'), password: 'bench', settings })
  const admin = openDatabase(server.urlOf('postgres'), { connections: 1 })
  await admin.pool.query('CREATE DATABASE bench')
  await admin.close()
  const url = server.urlOf('bench')
  await migrate(url)
  const database = openDatabase(url, { connections: 20, name: 'bench' })
  return {
    url,
    serverPid: server.child.pid ?? 0,
    database,
    reads: openReads(database),
    async close() {
      await database.close()
      await server.stop()
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}

export const agentName = (n: number): string => `agent-${String(n).padStart(4, '0')}`

export async function createAgents(db: Db, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const values = {
      slug: agentName(n),
      name: agentName(n),
      version: '1',
      model: 'extractive',
      definition: json({}),
      revision: 'r',
      sha256: 'x',
    }
    await create(db, { machine: 'agent', actor: GATEWAY, values })
    await transition(db, {
      machine: 'agent',
      event: 'activate',
      actor: GATEWAY,
      where: sql`o.slug = ${values.slug}`,
    })
  }
}
