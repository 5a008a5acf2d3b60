import { defineConfig } from 'vitest/config'

/** Unit and integration tests. Every test file that needs PostgreSQL gets a database of its own on one shared server. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'server/**/*.test.ts', 'worker/**/*.test.ts', 'prisma/**/*.test.ts'],
    globalSetup: ['server/launch/testing/global-setup.ts'],
    pool: 'forks',
    maxWorkers: Number(process.env.TEST_WORKERS ?? 2),
    testTimeout: 240_000,
    hookTimeout: 240_000,
    retry: process.env.CI ? 2 : 0,
  },
})
