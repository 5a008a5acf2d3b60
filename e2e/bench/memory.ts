/**
 * What the processes of the product keep in memory: idle after the start, after page requests, after jobs, and after more page requests. RSS is
 * what each has resident, PSS divides what they share, so that it may be added up. Beside them a Worker Node that has nothing to do.
 *
 *   REQUESTS (1 600), JOBS (100), MORE_REQUESTS (2 000)
 */
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { nodeFolder, startEdgeWorker } from '../fixtures/edge-worker.ts'
import { inLedger } from '../fixtures/ledger.ts'
import type { Product } from '../fixtures/product.ts'
import { requestJob } from '../fixtures/work.ts'
import { PAGES, withConsole } from './console.ts'
import type { Figures } from './figures.ts'
import { descendantsOf, hasProc, type Memory, memoryOf } from './processes.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 1_600)
const JOBS = Number(process.env.JOBS ?? 100)
const MORE_REQUESTS = Number(process.env.MORE_REQUESTS ?? 2_000)
const AT_ONCE = 4
const IDLE_MS = 20_000

/** The first that fits; what fits none is the browser of the bench. */
const PARTS: readonly [part: string, command: RegExp][] = [
  ['web', /next-server|next\/dist\/bin/],
  ['worker', /programs\/\w+\/worker\.mjs/],
  ['launcher', /server\/launch\/(start|run|postgres-supervisor|watchdog)\.mjs/],
  ['control plane', /programs\/\w+\/control-plane\.mjs/],
  ['nlm backend', /programs\/\w+\/nlm-backend\.mjs/],
  ['database connections', /^postgres: \S+ \S+ \S+\(\d+\)/],
  ['database', /^postgres: |\/postgres -D /],
]

type Sizes = Record<string, Memory>

/** By part, of all that this process has started. */
function sizesNow(): Sizes {
  const sizes: Sizes = {}
  for (const { pid, command } of descendantsOf(process.pid)) {
    const part = PARTS.find(([, pattern]) => pattern.test(command))?.[0]
    if (!part) continue
    const { rss, pss } = memoryOf(pid)
    const sum = sizes[part] ?? { rss: 0, pss: 0 }
    sizes[part] = { rss: sum.rss + rss, pss: sum.pss + pss }
  }
  return sizes
}

const of = (sizes: Sizes, kind: keyof Memory): Record<string, number> =>
  Object.fromEntries(PARTS.map(([part]) => [part, sizes[part]?.[kind] ?? 0]))

const total = (parts: Record<string, number>): number => Object.values(parts).reduce((sum, mb) => sum + mb, 0)

function addSizes(figures: Figures, when: string, sizes: Sizes, aims: { pss?: number; rss?: number }): void {
  const [rss, pss] = [of(sizes, 'rss'), of(sizes, 'pss')]
  const most = (limit: number | undefined) => (limit ? { aim: { most: limit } } : {})
  const mb = (parts: Record<string, number>) => ({ unit: 'MB', breakdown: { unit: 'MB', parts } })
  figures.add(`all processes ${when}, PSS`, total(pss), { ...mb(pss), ...most(aims.pss) })
  const { web = 0, worker = 0 } = rss
  figures.add(`web + worker ${when}, RSS`, web + worker, { ...mb({ web, worker }), ...most(aims.rss) })
}

/** Asks for the pages by turns, a few at a time. */
async function requestPages(page: Page, count: number): Promise<void> {
  let next = 0
  const reader = async () => {
    while (next < count) await (await page.request.get(`/${PAGES[next++ % PAGES.length]}`)).body()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, reader))
}

export async function benchMemory(figures: Figures): Promise<void> {
  if (!hasProc) return figures.note('left out: there is no /proc here')
  await withConsole({ NLM_URL: '' }, async ({ page, api, home, product }) => {
    // The product runs its own.
    await product.nlm.stop()
    await page.goto('about:blank')
    await pause(IDLE_MS)
    const idle = sizesNow()
    addSizes(figures, 'idle', idle, { pss: 300 })
    await addNode(figures, product)
    await requestPages(page, REQUESTS)
    addSizes(figures, `after ${REQUESTS} pages`, sizesNow(), {})
    const agent = 'research-librarian'
    for (let n = 0; n < JOBS; n++) await requestJob(api, agent, `Question ${n} of the garden?`)
    await waitUntil(() => noneOpen(home), { timeoutMs: 600_000, what: 'all jobs end' })
    addSizes(figures, `after ${JOBS} jobs more`, sizesNow(), { rss: 375 })
    const before = sizesNow()
    await requestPages(page, MORE_REQUESTS)
    addRatios(figures, { idle, before, after: sizesNow() })
  })
}

/** A Worker Node that fetches and finds nothing to do. */
async function addNode(figures: Figures, product: Product): Promise<void> {
  const folder = nodeFolder()
  const node = startEdgeWorker(product, folder, 'idle')
  try {
    await pause(IDLE_MS)
    figures.add('Worker Node idle, RSS', memoryOf(node.pid).rss, { unit: 'MB' })
  } finally {
    await node.kill()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

async function noneOpen(home: string): Promise<boolean> {
  const { rows } = await inLedger(home, `SELECT count(*) AS n FROM job WHERE finished_at IS NULL`)
  return Number(rows[0]?.n) === 0
}

function addRatios(
  figures: Figures,
  { idle, before, after }: Record<'idle' | 'before' | 'after', Sizes>,
): void {
  const web = (sizes: Sizes) => sizes.web?.rss ?? Number.NaN
  const kind = { unit: '×', aim: { most: 1.3 } }
  figures.add(`web after ${MORE_REQUESTS} pages more ÷ before`, web(after) / web(before), kind)
  figures.add(`web after all pages ÷ idle`, web(after) / web(idle), { unit: '×' })
}
