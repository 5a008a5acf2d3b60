/**
 * Deciding in a browser by the keyboard alone, at a person's pace and under the usual limits: 50 proposals, three of them in conflict and two
 * that expire today, then 50 of 5 000. It counts keys, pointer events and refusals, times from a key to the next proposal painted, and holds the
 * review digest on screen against the trailer of each commit.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { type Api, apiOf } from '../fixtures/api.ts'
import { CHROMIUM_ARGS, findChromium } from '../fixtures/chromium.ts'
import { git, hasGit } from '../fixtures/git.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { startProduct } from '../fixtures/product.ts'
import { say as print } from '../fixtures/report.ts'
import { proposeNote } from '../fixtures/work.ts'
import { enterByLink } from '../pages/auth.ts'
import { press } from '../pages/console.ts'

type Say = (line: string) => void
const DECISIONS = Number(process.env.DECISIONS ?? 50)
const MANY = Number(process.env.PENDING ?? 5_000)
/** What a person takes to look at one. */
const PACE_MS = Number(process.env.PACE_MS ?? 2_500)
const CONFLICTS = 3
const RATE_WINDOW_MS = 61_000
const EXPIRING = 2
/** So many of the slowest steps are named. */
const SLOWEST = 5

/** `ms` from the last of its keys to the next one painted; null where there was none left. */
type Decided = { id: string; digest: string; keys: string; ms: number | null }
type Sitting = { name: string; decided: Decided[]; pointers: number; refused: number; seconds: number }

/** Proposals that wait; the first few edit notes that are edited by others afterwards, two expire today. */
async function seed(api: Api, home: string): Promise<void> {
  for (let n = 0; n < DECISIONS - CONFLICTS; n++) await proposeNote(api, `deciding/${n}.md`, `Note ${n}`)
  for (let n = 0; n < CONFLICTS; n++) {
    const target = `notes/deciding/conflict ${n}.md`
    await approved(api, await proposeNote(api, `deciding/conflict ${n}.md`, `Conflict ${n}`))
    await proposeEdit(api, target, `One of two for ${n}`)
    await approved(api, await proposeEdit(api, target, `Two of two for ${n}`))
  }
  await inLedger(
    home,
    `UPDATE proposal SET expires_at = now() + interval '6 hours' WHERE proposal_id IN
       (SELECT proposal_id FROM proposal WHERE status = 'PENDING' AND summary LIKE 'Note %' ORDER BY created_at DESC LIMIT $1)`,
    [EXPIRING],
  )
}

async function proposeEdit(api: Api, target: string, summary: string): Promise<string> {
  const payload = { diff: { type: 'replace', text: `# ${summary}\n\nOtherwise.\n` }, summary }
  const { body } = await api.post<{ resolution: { id: string } }>('/inbox', {
    intent: { action: 'propose-edit', target, payload },
  })
  return body.resolution.id
}

const statusOf = async (api: Api, id: string) =>
  (await api.get<{ status: string }>(`/proposals/${id}`)).body.status

async function approved(api: Api, id: string): Promise<void> {
  const { body } = await api.get<{ review_digest: string }>(`/proposals/${id}`)
  await api.post(`/proposals/${id}/approve`, { review_digest: body.review_digest })
  await waitUntil(async () => (await statusOf(api, id)) === 'APPLIED', { what: `${id} applied` })
}

/** What is decided in front of the many: older than they, and with a text of its own each. */
async function proposeMany(api: Api): Promise<void> {
  for (let n = 0; n < DECISIONS; n++) await proposeNote(api, `again/${n}.md`, `Note ${n} again`)
}

/** Copies of the newest proposal, each of a note of its own. Rows alone: they are there to be listed and read. */
const fill = (home: string, count: number) =>
  inLedger(
    home,
    `WITH one AS (SELECT * FROM proposal WHERE status = 'PENDING' ORDER BY created_at DESC LIMIT 1)
     INSERT INTO proposal SELECT (jsonb_populate_record(NULL::proposal, to_jsonb(one) || jsonb_build_object(
       'proposal_id', 'prop_2026-01-01_' || lpad(to_hex(n), 12, '0'), 'summary', 'Note of many ' || n,
       'target_path', 'notes/many/' || n || '.md', 'target_key', one.target_key || '/many/' || n,
       'content_digest', encode(sha256(n::text::bytea), 'hex'), 'created_at', now(),
       'changes', jsonb_build_array((one.changes->0) || jsonb_build_object('path', 'many/' || n || '.md'))))).*
     FROM one, generate_series(1, $1::int) AS n`,
    [count],
  )

/** Counts pointers, and times from a key to the frame in which another proposal is on screen. */
function watchPage(): void {
  const seen = { pointers: 0, painted: [] as number[] }
  Object.assign(window, { deciding: seen })
  let key = 0
  let shown = ''
  addEventListener('pointerdown', () => seen.pointers++, true)
  addEventListener('keydown', () => (key = performance.now()), true)
  new MutationObserver(() => {
    const review = document.querySelector<HTMLElement>('[data-review]')
    const id = review?.dataset.review ?? ''
    if (id === shown || !review?.querySelector('[data-diff]')) return
    shown = id
    requestAnimationFrame(() => setTimeout(() => seen.painted.push(performance.now() - key)))
  }).observe(document, { subtree: true, childList: true, attributes: true })
}

/** The proposal on screen, with its diff drawn, once it is another than the last one. */
async function nextReview(page: Page, last: string): Promise<{ id: string; digest: string }> {
  const shown = await page.waitForFunction((before) => {
    const one = document.querySelector<HTMLElement>('[data-review]')
    const { review: id = '', digest = '' } = one?.dataset ?? {}
    return id !== '' && id !== before && one?.querySelector('[data-diff]') ? { id, digest } : null
  }, last)
  return (await shown.jsonValue()) ?? { id: '', digest: '' }
}

/** Decides one after the other: approves what can be approved as it stands, snoozes what is in conflict. */
async function decide(page: Page, name: string, count: number): Promise<Sitting> {
  let refused = 0
  page.on('response', (response) => {
    if (response.status() === 429) refused++
  })
  // Awake and live first: what is pressed before is lost.
  await press(page, 'j')
  const began = performance.now()
  const decided: Decided[] = []
  let last = ''
  while (decided.length < count) {
    const at = await nextReview(page, last)
    last = at.id
    await page.waitForTimeout(PACE_MS)
    const approve = await page
      .getByRole('article')
      .getByRole('button', { name: /^Approve/ })
      .count()
    const keys = approve > 0 ? ['a'] : ['z', '1']
    for (const key of keys) await page.keyboard.press(key)
    const approved = approve > 0 ? at : { id: '', digest: '' }
    decided.push({ ...approved, keys: keys.join(''), ms: null })
  }
  await page.waitForTimeout(PACE_MS)
  const seconds = (performance.now() - began) / 1_000
  const seen = await page.evaluate<{ pointers: number; painted: number[] }>(() =>
    Reflect.get(window, 'deciding'),
  )
  // The first was led to by `j`.
  const [, ...painted] = seen.painted
  const timed = decided.map((one, n) => ({ ...one, ms: painted[n] ?? null }))
  return { name, decided: timed, pointers: seen.pointers, refused, seconds }
}

/** How many of the approved have a commit whose trailer is the digest that was on screen. */
async function sameDigests(api: Api, home: string, { decided }: Sitting): Promise<string> {
  const approvals = decided.filter(({ id }) => id !== '')
  for (const { id } of approvals)
    await waitUntil(async () => /APPLIED|FAILED/.test(await statusOf(api, id)), { what: `${id} applied` })
  if (!hasGit) return 'not read: no git'
  const format =
    '%(trailers:key=Proposal-Id,valueonly,separator=)|%(trailers:key=Review-Digest,valueonly,separator=)'
  const trailers = new Set(git(home, 'log', `--format=${format}`).split('\n'))
  const same = approvals.filter(({ id, digest }) => trailers.has(`${id}|${digest}`)).length
  return `${same} of ${approvals.length}`
}

const share = (numbers: number[], of: number): string => {
  const sorted = numbers.toSorted((a, b) => a - b)
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? Number.NaN).toFixed(0)
}

function table(sitting: Sitting, digests: string, say: Say): void {
  const { name, decided, pointers, refused, seconds } = sitting
  const keys = decided.map((one) => one.keys.length)
  const steps = decided.flatMap((one, n) => (one.ms === null ? [] : [{ ...one, ms: one.ms, nth: n + 1 }]))
  const ms = steps.map((one) => one.ms)
  const slowest = steps
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map((one) => `${one.ms.toFixed(0)} (${one.nth}th, ${one.keys})`)
  const rows: [string, string, string][] = [
    ['decided', `${decided.length} in ${seconds.toFixed(0)} s`, '50 in 360 s'],
    ['pointer events', String(pointers), '0'],
    ['keys per decision', `${share(keys, 0.5)}, at most ${Math.max(...keys)}`, '≤ 2'],
    ['key → next painted', `p50 ${share(ms, 0.5)} ms, p95 ${share(ms, 0.95)} ms`, 'p95 ≤ 100 ms'],
    ['slowest, ms (which, key)', slowest.join(', '), 'named'],
    ['answers 429', String(refused), '0'],
    ['digest on screen = trailer', digests, 'all'],
  ]
  for (const [what, value, aim] of rows)
    say(`deciding, ${name}: ${what.padEnd(28)} ${value.padEnd(28)} (aim ${aim})`)
}

async function sit(browser: Browser, home: string, say: Say): Promise<void> {
  const start = (env: Record<string, string>) =>
    startProduct({ home, env: { APPLY_HOLD_SECONDS: '0', ...env } })
  const seeding = await start({})
  const entering = await browser.newContext({ baseURL: seeding.url })
  const first = await entering.newPage()
  await enterByLink(first, seeding.signInLink)
  await seed(apiOf(first, seeding.url), home).finally(() => seeding.stop())
  const storageState = await entering.storageState()
  await entering.close()
  const product = await start({ RATE_OWNER_CHANGES: '60', RATE_OWNER_READS: '600', APPLY_HOLD_SECONDS: '10' })
  const context = await browser.newContext({ baseURL: product.url, storageState })
  // The seeding was the owner's too, and has used up what the owner may change in this minute.
  await sleep(RATE_WINDOW_MS)
  try {
    for (const [name, more] of [
      ['50 pending', 0],
      [`${MANY} pending`, MANY],
    ] as const) {
      const page = await context.newPage()
      if (more > 0) {
        // What was decided last counts against the same limit.
        await sleep(RATE_WINDOW_MS)
        await proposeMany(apiOf(page, product.url))
        await fill(home, more - DECISIONS)
        await sleep(RATE_WINDOW_MS)
      }
      await page.addInitScript(watchPage)
      await page.goto('/proposals')
      await page.locator('tbody tr[data-row]').first().waitFor()
      const sitting = await decide(page, name, DECISIONS)
      table(sitting, await sameDigests(apiOf(page, product.url), home, sitting), say)
      await page.close()
    }
  } finally {
    await product.stop()
  }
}

/** Runs the whole and prints a line for each figure, beside its aim. */
export async function benchDeciding(say: Say = print): Promise<void> {
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
    await sit(browser, home, say)
  } finally {
    await browser.close()
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

if (process.argv[1] === import.meta.filename) await benchDeciding()
