import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from './test-database.ts'

async function query(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}

describe('createTestDatabase', () => {
  test('gives databases that do not see each other', async () => {
    const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()])
    await query(one.url, 'CREATE TABLE only_here (id int)')
    await expect(query(two.url, 'SELECT * FROM only_here')).rejects.toThrow('does not exist')
    await Promise.all([one.drop(), two.drop()])
  })

  test('hands out many at once from one template', async () => {
    const databases = await Promise.all(Array.from({ length: 8 }, () => createTestDatabase()))
    expect(new Set(databases.map((database) => database.url)).size).toBe(8)
    await Promise.all(databases.map((database) => database.drop()))
  })

  test('drops a database that is still in use, also twice', async () => {
    const database = await createTestDatabase()
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => {})
    await client.connect()
    await database.drop()
    await database.drop()
    await expect(query(database.url, 'SELECT 1')).rejects.toThrow('does not exist')
  })

  test('carries the migrations', async () => {
    const database = await createTestDatabase()
    const { rows } = await query(
      database.url,
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NULL',
    )
    expect(rows).toEqual([])
    await database.drop()
  })
})
