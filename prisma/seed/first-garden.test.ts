import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { onTestFinished, test } from 'vitest'
import { loadEnv } from '#server/env.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { lastSeal } from '#server/ledger/seal.ts'
import { demoAgentFiles, demoGardenFolder } from './demo-garden.ts'
import { openFirstGarden } from './first-garden.ts'

test('what the first garden records is sealed before any worker is there', async ({ expect }) => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const home = await mkdtemp(join(tmpdir(), 'bloom-first-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const env = loadEnv({
    NODE_ENV: 'test',
    BLOOM_HOME: home,
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
  })

  const { services, agents } = await openFirstGarden(env, demoGardenFolder(), await demoAgentFiles())
  onTestFinished(() => services.close())
  const { rows } = await services.db.query<{ n: number }>(sql`SELECT count(*)::int AS n FROM event`)

  expect(agents.created).toHaveLength(3)
  expect(rows[0]?.n).toBeGreaterThan(3)
  expect(await lastSeal(services.db)).toBe(rows[0]?.n)
})
