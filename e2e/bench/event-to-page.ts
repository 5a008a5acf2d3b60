/**
 * How soon an event of the ledger is on an open page: EVENTS (40) proposals with a pause before each, back to back, and all at once. Measured
 * from the event's own time to the moment the page has it, and on to the frame in which the page's content follows it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import type { Api } from '../fixtures/api.ts'
import { inLedger } from '../fixtures/ledger.ts'
import { proposeNote } from '../fixtures/work.ts'
import { awake } from '../pages/console.ts'
import { type Console, withConsole } from './console.ts'
import type { Figures } from './figures.ts'
import { median, percentile } from './statistics.ts'

const EVENTS = Number(process.env.EVENTS ?? 40)
const PACE_MS = 250
/** What has not changed the page by then does not. */
const DRAWN_BY_MS = 20_000

/** By proposal, milliseconds of the machine's clock. */
type Seen = { arrived: Record<string, number>; painted: Record<string, number> }

const path = (mode: string, n: number) => `bench/event ${mode} ${n}.md`
const propose = (api: Api, mode: string, n: number) => proposeNote(api, path(mode, n), `Event ${mode} ${n}`)

const MODES: Record<string, (api: Api) => Promise<unknown>> = {
  paced: async (api) => {
    for (let n = 0; n < EVENTS; n++) {
      await pause(PACE_MS)
      await propose(api, 'paced', n)
    }
  },
  'back to back': async (api) => {
    for (let n = 0; n < EVENTS; n++) await propose(api, 'in a row', n)
  },
  'burst of all': (api) => Promise.all(Array.from({ length: EVENTS }, (_, n) => propose(api, 'at once', n))),
}

/**
 * Runs in the page: when a stream of its own has an event, and the first frame after that in which the content is another. A list keeps its rows
 * until the reader asks for new ones, so what changes is what is counted and what needs the reader.
 */
function watchEvents(): void {
  const seen: Seen = { arrived: {}, painted: {} }
  const now = () => performance.timeOrigin + performance.now()
  const stream = new EventSource('/api/v1/events/stream?topics=proposal.created')
  stream.addEventListener('proposal.created', (event) => {
    seen.arrived[JSON.parse(event.data).resource.id] = now()
  })
  stream.addEventListener('open', () => Object.assign(window, { streamOpen: true }))
  new MutationObserver(() => {
    const waiting = Object.keys(seen.arrived).filter((id) => !(id in seen.painted))
    for (const id of waiting) seen.painted[id] = Number.NaN
    const paint = () => {
      for (const id of waiting) seen.painted[id] = now()
    }
    if (waiting.length > 0) requestAnimationFrame(() => setTimeout(paint))
  }).observe(document.querySelector('main') ?? document, {
    subtree: true,
    childList: true,
    characterData: true,
  })
  Object.assign(window, { seen })
}

/** Runs in the page: whether the page has followed all that has arrived. */
function isDrawn(): boolean {
  const { arrived, painted }: Seen = Reflect.get(window, 'seen')
  return Object.keys(arrived).every((id) => (painted[id] ?? 0) > 0)
}

const arrivals = (page: Page): Promise<number> =>
  page.evaluate(() => Object.keys(Reflect.get(window, 'seen').arrived).length)

/** When each proposal's event was written and sealed. */
async function ledgerTimes(home: string, ids: readonly string[]) {
  const { rows } = await inLedger(
    home,
    `SELECT e.resource_id AS id, extract(epoch FROM e.ts) * 1000 AS written, extract(epoch FROM s.sealed_at) * 1000 AS sealed
     FROM event e JOIN event_seal s ON s.event = e.id WHERE e.name = 'proposal.created' AND e.resource_id = ANY($1)`,
    [ids],
  )
  return rows.map(({ id, written, sealed }) => ({
    id: id as string,
    written: Number(written),
    sealed: Number(sealed),
  }))
}

async function measure({ page, home }: Console, mode: string, known: Set<string>, figures: Figures) {
  const { arrived, painted } = await page.evaluate<Seen>(() => Reflect.get(window, 'seen'))
  const ids = Object.keys(arrived).filter((id) => !known.has(id))
  for (const id of ids) known.add(id)
  const times = (await ledgerTimes(home, ids)).map((one) => {
    const at = { arrived: arrived[one.id] ?? Number.NaN, painted: painted[one.id] ?? Number.NaN }
    return { ...one, ...at }
  })
  const drawn = times.filter(({ painted }) => Number.isFinite(painted))
  const middle = (of: (time: (typeof times)[number]) => number) => median(drawn.map(of))
  const parts = {
    seal: middle(({ written, sealed }) => sealed - written),
    stream: middle(({ sealed, arrived }) => arrived - sealed),
    paint: middle(({ arrived, painted }) => painted - arrived),
  }
  const waits = times.map(({ written, arrived }) => arrived - written)
  const ms = { unit: 'ms', breakdown: { unit: 'ms', parts } }
  figures.add(`event → page, ${mode}, p50`, percentile(waits, 0.5), { ...ms, aim: { most: 25 } })
  figures.add(`event → page, ${mode}, p95`, percentile(waits, 0.95), { unit: 'ms', aim: { most: 100 } })
  const shown = drawn.map(({ written, painted }) => painted - written)
  figures.add(`event → painted, ${mode}, p95`, percentile(shown, 0.95), { unit: 'ms' })
  figures.note(`${mode}: ${times.length} arrived, ${drawn.length} of them were painted`)
}

export async function benchEventToPage(figures: Figures): Promise<void> {
  await withConsole({ APPLY_HOLD_SECONDS: '0' }, async (console) => {
    const { page, api } = console
    await page.goto('/inbox')
    await awake(page)
    await page.evaluate(watchEvents)
    await page.waitForFunction(() => 'streamOpen' in window)
    const known = new Set<string>()
    for (const [mode, send] of Object.entries(MODES)) {
      const before = await arrivals(page)
      await send(api)
      await page.waitForFunction(
        (count) => Object.keys(Reflect.get(window, 'seen').arrived).length >= count,
        before + EVENTS,
      )
      await page.waitForFunction(isDrawn, undefined, { timeout: DRAWN_BY_MS }).catch(() => {})
      await measure(console, mode, known, figures)
    }
  })
}
