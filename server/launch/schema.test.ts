import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from './checkout.mjs'
import { schemaDifferences } from './schema.mjs'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

let database: TestDatabase
let schema: string

beforeEach(async () => {
  database = await createTestDatabase()
  schema = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-schema-'))
  fs.cpSync(path.join(ROOT, 'prisma/schema'), schema, { recursive: true })
})
afterEach(async () => {
  await database.drop()
  fs.rmSync(schema, { recursive: true })
})

function edit(from: string, to: string): void {
  const file = path.join(schema, 'jobs.prisma')
  const text = fs.readFileSync(file, 'utf8')
  expect(text).toContain(from)
  fs.writeFileSync(file, text.replace(from, to))
}

async function migrateFurther(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

const differences = () => schemaDifferences(database.url, schema).join('\n')

describe('schema and migrations', () => {
  test('agree, and partial indexes, checks, functions and triggers are no difference', async () => {
    await migrateFurther('CREATE INDEX further ON job (title) WHERE title IS NULL')
    expect(differences()).toBe('')
  })

  test('differ in what the schema has and no migration makes', () => {
    edit('model Job {', 'model Bed {\n  id Int @id\n}\n\nmodel Job {\n  mood String?')
    edit('wait_reason          String?', 'wait_reason          Int?')
    edit('agent_slug           String', 'agent_slug           String?')
    edit('@default("normal")', '@default("low")')
    const sql = differences()
    expect(sql).toContain('CREATE TABLE "Bed"')
    expect(sql).toContain('ALTER TABLE "job" ADD COLUMN "mood" TEXT')
    expect(sql).toMatch(/"wait_reason" (INTEGER|SET DATA TYPE)/)
    expect(sql).toContain('ALTER TABLE "job" ALTER COLUMN "agent_slug" DROP NOT NULL')
    expect(sql).toContain('ALTER TABLE "job" ALTER COLUMN "priority" SET DEFAULT \'low\'')
  })

  test('differ in what a migration makes and the schema has not', async () => {
    await migrateFurther('ALTER TABLE job ADD COLUMN mood text; CREATE TABLE bed (id int PRIMARY KEY)')
    expect(differences()).toBe('ALTER TABLE "job" DROP COLUMN "mood"\nDROP TABLE "bed"')
  })
})
