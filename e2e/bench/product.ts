/**
 * The product as a whole, in a browser: how long it takes to start the first time and again, what a page loads,
 * how soon an event reaches an open page and a decision becomes a commit, and what it all keeps in memory.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from '@playwright/test'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Api, apiOf } from '../fixtures/api.ts'
import { CHROMIUM_ARGS, findChromium } from '../fixtures/chromium.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { type Product, startProduct } from '../fixtures/product.ts'
import { say as print } from '../fixtures/report.ts'
import { proposeNote } from '../fixtures/work.ts'
import { enterByLink } from '../pages/auth.ts'

type Say = (line: string) => void
const EVENTS = 40
const DECISIONS = 20
const PAGES = [
  'inbox',
  'proposals',
  'runs',
  'jobs',
  'artifacts',
  'agents',
  'notes',
  'zones',
  'audit',
  'settings',
]

const at = (numbers: number[], share: number): string => {
  const sorted = [...numbers].sort((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0)
}

async function timedStart(home: string, what: string, say: Say): Promise<Product> {
  const began = performance.now()
  const product = await startProduct({ home, env: { APPLY_HOLD_SECONDS: '0', RATE_OWNER_CHANGES: '100000' } })
  say(
    `product: ${what.padEnd(28)} ${((performance.now() - began) / 1000).toFixed(1)} s   (aim ≤ 3 s, installed and built)`,
  )
  return product
}

/**
 * Scripts of the first load of a page, compressed one by one; those for browsers without modules are not loaded by others. The messages are a
 * script, too, but the same for all pages and kept by the browser, so they are told apart.
 */
async function firstLoad(page: Page, say: Say): Promise<void> {
  for (const name of PAGES) {
    const html = await (await page.request.get(`/${name}`)).text()
    const tags = [...html.matchAll(/<script[^>]*>/g)]
      .map(([tag]) => tag)
      .filter((tag) => !/\snomodule/i.test(tag))
    const sources = new Set(tags.flatMap((tag) => /\ssrc="([^"]+)"/.exec(tag)?.[1] ?? []))
    const bytes = { code: 0, messages: 0 }
    for (const source of sources) {
      const size = gzipSync(await (await page.request.get(source)).body()).length
      bytes[source.startsWith('/messages/') ? 'messages' : 'code'] += size
    }
    const kB = (size: number) => (size / 1000).toFixed(0)
    say(
      `product: first load /${name.padEnd(16)} ${kB(bytes.code)} kB of JavaScript, gzip   (aim ≤ 195), once ${kB(bytes.messages)} kB of messages, ${kB(Buffer.byteLength(html))} kB of HTML   (aim ≤ 120)`,
    )
  }
}

/** From the event's own time to the moment the open page has it. */
async function eventToPage(page: Page, api: Api, say: Say): Promise<void> {
  await page.goto('/inbox')
  await page.evaluate(() => {
    const seen: number[] = []
    const stream = new EventSource('/api/v1/events/stream?topics=proposal.created')
    stream.addEventListener('proposal.created', (event) =>
      seen.push(Date.now() - Date.parse(JSON.parse(event.data).ts)),
    )
    stream.addEventListener('open', () => Object.assign(window, { streamOpen: true }))
    Object.assign(window, { seen })
  })
  await page.waitForFunction(() => 'streamOpen' in window)
  for (let n = 0; n < EVENTS; n++) await proposeNote(api, `bench/event ${n}.md`, `Event ${n}`)
  await page.waitForFunction((count) => Reflect.get(window, 'seen').length >= count, EVENTS)
  const ms = await page.evaluate<number[]>(() => Reflect.get(window, 'seen'))
  say(`product: event → page                 p50 ${at(ms, 0.5)} ms, p95 ${at(ms, 0.95)} ms   (aim p95 ≤ 250)`)
}

/** From the end of the hold, here the decision itself, to the commit in the ledger. */
async function decisionToCommit(home: string, api: Api, say: Say): Promise<void> {
  const ids: string[] = []
  for (let n = 0; n < DECISIONS; n++) {
    const id = await proposeNote(api, `bench/decision ${n}.md`, `Decision ${n}`)
    const { body } = await api.get<{ review_digest: string }>(`/proposals/${id}`)
    await api.post(`/proposals/${id}/approve`, { review_digest: body.review_digest })
    await waitUntil(
      async () => (await api.get<{ status: string }>(`/proposals/${id}`)).body.status === 'APPLIED',
    )
    ids.push(id)
  }
  const { rows } = await inLedger(
    home,
    `SELECT extract(epoch FROM e.ts - p.apply_not_before) * 1000 AS ms FROM proposal p
     JOIN event e ON e.resource_type = 'proposal' AND e.resource_id = p.proposal_id AND e.to_status = 'APPLIED' WHERE p.proposal_id = ANY($1)`,
    [ids],
  )
  const ms = rows.map((row) => Number(row.ms))
  say(
    `product: decision → commit            p50 ${at(ms, 0.5)} ms, p95 ${at(ms, 0.95)} ms   (aim ≤ 50 after the hold)`,
  )
}

/** Resident memory of the processes of this home, by their command line; only where /proc tells. */
function memory(home: string, say: Say): void {
  if (!fs.existsSync('/proc/self/environ')) return
  const read = (file: string) => {
    try {
      return fs.readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const mine = fs
    .readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(`BLOOM_HOME=${home}\0`))
  const sizes = (pattern: RegExp) =>
    mine
      .filter((pid) => pattern.test(read(`/proc/${pid}/cmdline`)))
      .reduce((sum, pid) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0), 0) /
    1024
  const [web, worker] = [sizes(/next-server|next\/dist\/bin/), sizes(/worker\/main\.ts/)]
  say(
    `product: memory                       web ${web.toFixed(0)} + worker ${worker.toFixed(0)} = ${(web + worker).toFixed(0)} MB   (aim ≤ 400)`,
  )
}

async function measure(browser: Browser, product: Product, say: Say): Promise<void> {
  const page = await (await browser.newContext({ baseURL: product.url })).newPage()
  await enterByLink(page, product.signInLink)
  const api = apiOf(page, product.url)
  await firstLoad(page, say)
  await eventToPage(page, api, say)
  await decisionToCommit(product.home, api, say)
  memory(product.home, say)
}

/** Runs the whole and prints one line a figure, beside its aim. The pages are built before anything is timed. */
export async function benchProduct(say: Say = print): Promise<void> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-bench-'))
  const executablePath = await findChromium()
  const browser = await chromium.launch({
    args: CHROMIUM_ARGS,
    ...(executablePath ? { executablePath } : {}),
  })
  try {
    const { buildWeb, generateClient } = await import('#server/launch/build.mjs')
    await generateClient()
    await buildWeb()
    const first = await timedStart(home, 'first start, new home', say)
    await measure(browser, first, say).finally(() => first.stop())
    const second = await timedStart(home, 'second start', say)
    await second.stop()
  } finally {
    await browser.close()
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

if (process.argv[1] === import.meta.filename) await benchProduct()
