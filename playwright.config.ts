import { defineConfig } from '@playwright/test'
import { CHROMIUM_ARGS, findChromium } from './e2e/fixtures/chromium.ts'

/**
 * They have a product of their own and take longest: begun first, so that no worker is left with one of them at the end. Of the others, which share
 * products, files begin by their names.
 */
const FIRST = ['journey', 'backend-gone'].map((name) => ({ name, testMatch: `${name}.spec.ts` }))

/** The journeys in a real browser; the specs start the product themselves (e2e/fixtures/product.ts). */
export default defineConfig({
  testDir: 'e2e/specs',
  outputDir: 'test-results',
  projects: [...FIRST, { name: 'console', testIgnore: FIRST.map(({ testMatch }) => testMatch) }],
  // Much of a journey waits (for holds, backoffs, restarts), so others beside it cost little.
  workers: 3,
  retries: process.env.CI ? 1 : 0,
  forbidOnly: !!process.env.CI,
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list'], ['json', { outputFile: process.env.E2E_REPORT ?? '.cache/checks/e2e.json' }]],
  use: {
    browserName: 'chromium',
    locale: 'en-GB',
    actionTimeout: 60_000,
    navigationTimeout: 120_000,
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: await findChromium(), args: CHROMIUM_ARGS },
  },
})
