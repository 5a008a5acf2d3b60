import { playwright } from '@vitest/browser-playwright'
import { defineConfig, type Plugin } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { CHROMIUM_ARGS, findChromium } from './e2e/fixtures/chromium.ts'

const BROWSER_TESTS = 'src/**/*.browser.test.tsx'

/** They measure their process, or change what all servers in it do: each has one of its own. */
const ALONE = [
  'server/adapters/object-store/stream-memory.test.ts',
  'server/garden/parsing-pool.test.ts',
  'server/http/peer-address.test.ts',
  'server/http/request-filter.test.ts',
  'server/launch/ports.test.ts',
]
/** Long ones that are short to read: without a run before, files begin by their size, and these would be left for the end, when other workers have no more. */
const LONG = [
  'server/control-plane/registry-wire.test.ts',
  'server/membridge/killed-selection.test.ts',
  'src/domain/leadership/simulation.test.ts',
  'worker/edge/push/push-killed.test.ts',
  ...ALONE,
]
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((file) => moduleId.endsWith(`/${file}`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** What Node does not read by itself: components, and what imports the framework as only a bundler finds it. */
const BUNDLED = ['src/**/*.test.tsx', 'src/ui/stable-list.test.ts', 'server/http/next-auth-handler.test.ts']
const ON_SERVERS = {
  globalSetup: ['server/launch/testing/global-setup.ts'],
  pool: 'forks',
  maxWorkers: Number(process.env.TEST_WORKERS ?? 4),
} satisfies { globalSetup: string[]; pool: 'forks'; maxWorkers: number }

/**
 * How the component tests start their Chromium. The packaged one brings libraries of its own, which the PostgreSQL and git of
 * the other tests must not load. Without any Chromium only the component tests fail, by Playwright's own message.
 */
async function chromiumLaunch() {
  const before = { ...process.env }
  const executablePath = await findChromium().catch(() => undefined)
  const env = { ...process.env }
  for (const name of Object.keys(env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  return { executablePath, args: CHROMIUM_ARGS, env }
}

/** A picture as the framework gives it to a module: with its address. */
const PICTURES: Plugin = {
  name: 'pictures',
  enforce: 'pre',
  load: (id) => (id.endsWith('.svg') ? `export default ${JSON.stringify({ src: `/@fs${id}` })}` : null),
}

/** What components import, named so that the development server prepares it before the first test and never reloads. */
const BROWSER_PACKAGES = [
  '@tanstack/react-query',
  '@tanstack/react-table',
  '@trpc/client',
  '@trpc/server',
  '@trpc/server/adapters/fetch',
  '@trpc/tanstack-react-query',
  '@use-gesture/react',
  'axe-core',
  'clsx',
  'cmdk',
  'diff',
  'hast-util-to-jsx-runtime',
  'icu-minify/compile',
  'next/dist/shared/lib/app-router-context.shared-runtime',
  'next/dist/shared/lib/hooks-client-context.shared-runtime',
  'next/dist/shared/lib/router-context.shared-runtime',
  'next/link',
  'next/navigation',
  'qrcode',
  'react',
  'react/jsx-dev-runtime',
  'react/jsx-runtime',
  'react-dom',
  'react-dom/client',
  'use-intl/core',
  'use-intl/react',
  'vitest-browser-react',
  'zod',
]

/**
 * `unit`: rules and use-cases in Node; every test file that needs PostgreSQL gets a database of its own on one shared server. `unit-alone`: the few
 * among them that need a process of their own. `unit-bundled`: what a bundler reads.
 * `browser`: components in a real Chromium, with the styles of the product.
 */
export default defineConfig({
  test: {
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A busy machine takes seconds for what a quiet one does at once.
    expect: { poll: { timeout: 30_000 } },
    retry: process.env.CI ? 2 : 0,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'server/**/*.test.ts',
            'worker/**/*.test.ts',
            'prisma/**/*.test.ts',
            'e2e/**/*.test.ts',
          ],
          exclude: [BROWSER_TESTS, ...BUNDLED, ...ALONE],
          ...ON_SERVERS,
          // A file takes over the modules of those before it, and Node runs them as it runs the product: a third less to do.
          isolate: false,
          experimental: { viteModuleRunner: false },
        },
      },
      {
        extends: true,
        plugins: [PICTURES],
        test: { name: 'unit-bundled', include: BUNDLED, exclude: [BROWSER_TESTS], ...ON_SERVERS },
      },
      { extends: true, test: { name: 'unit-alone', include: ALONE, ...ON_SERVERS } },
      {
        extends: true,
        cacheDir: '.cache/vite',
        plugins: [PICTURES],
        // The framework's packages read these; a page is built with them filled in.
        define: { 'process.env.NODE_ENV': '"test"', 'process.env': '{}' },
        resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
        optimizeDeps: { include: BROWSER_PACKAGES },
        test: {
          name: 'browser',
          maxWorkers: 2,
          // After the others: what is measured by time should not share the machine with PostgreSQL.
          sequence: { groupOrder: 1 },
          include: [BROWSER_TESTS],
          setupFiles: ['src/lib/testing/browser-setup.ts'],
          testTimeout: 15_000,
          expect: { poll: { timeout: 10_000 } },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            viewport: { width: 1280, height: 800 },
            provider: playwright({ launchOptions: await chromiumLaunch() }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
