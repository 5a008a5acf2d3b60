import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from './migrate.mjs'
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts'

let database: TestDatabase
let client: pg.Client
let directory: string

beforeEach(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  // The template carries the product's migrations: these tests keep a book of their own.
  await client.query('DROP TABLE _prisma_migrations')
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-migrations-'))
})
afterEach(async () => {
  await client.end()
  await database.drop()
  fs.rmSync(directory, { recursive: true, force: true })
})

function write(name: string, sql: string): void {
  fs.mkdirSync(path.join(directory, name), { recursive: true })
  fs.writeFileSync(path.join(directory, name, 'migration.sql'), sql)
}

const run = () => migrate(database.url, directory)
const tables = async () => {
  const { rows } = await client.query(
    "SELECT tablename FROM pg_tables WHERE tablename LIKE 'garden_bed%' ORDER BY 1",
  )
  return rows.map((row) => row.tablename)
}

describe('migrate', () => {
  test('applies what is new, in order of name, and nothing twice', async () => {
    write('2_second', 'ALTER TABLE garden_bed ADD COLUMN size int')
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    expect(await run()).toEqual(['1_first', '2_second'])
    expect(await run()).toEqual([])
    write('3_third', 'CREATE TABLE garden_bed_row (id int)')
    expect(await run()).toEqual(['3_third'])
  })

  test('refuses a migration that was edited after it was applied, and applies nothing', async () => {
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    await run()
    write('1_first', 'CREATE TABLE garden_bed (id bigint)')
    write('2_second', 'CREATE TABLE garden_bed_row (id int)')
    await expect(run()).rejects.toThrow('1_first was edited after it was applied')
    expect(await tables()).toEqual(['garden_bed'])
  })

  test('refuses a database that knows more than the checkout', async () => {
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    await run()
    fs.rmSync(path.join(directory, '1_first'), { recursive: true })
    await expect(run()).rejects.toThrow('used by a newer version')
  })

  test('rolls a failed migration back as a whole, and takes its corrected form later', async () => {
    write('1_first', 'CREATE TABLE garden_bed (id int); SELECT no_such_function()')
    await expect(run()).rejects.toThrow(
      'migration 1_first failed: function no_such_function() does not exist',
    )
    expect(await tables()).toEqual([])
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    expect(await run()).toEqual(['1_first'])
    expect(await tables()).toEqual(['garden_bed'])
  })

  test('begins a migration anew that the end of its connection interrupted', async () => {
    write('1_first', 'CREATE TABLE garden_bed (id int); SELECT pg_terminate_backend(pg_backend_pid())')
    await expect(run()).rejects.toThrow('migration 1_first failed: terminating connection')
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    expect(await run()).toEqual(['1_first'])
  })

  test('refuses a migration that another tool left half done', async () => {
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    await run()
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(run()).rejects.toThrow('failed earlier')
  })

  test('applies once when several start together', async () => {
    write('1_first', 'CREATE TABLE garden_bed (id int)')
    write('2_second', 'CREATE TABLE garden_bed_row (id int)')
    const applied = await Promise.all(Array.from({ length: 4 }, run))
    expect(applied.flat().sort()).toEqual(['1_first', '2_second'])
  })
})
