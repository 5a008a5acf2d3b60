import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GATEWAY } from '#domain/authority/caller.ts'
import { ok } from '#domain/kernel/result.ts'
import { operationList } from '#server/composition/all-operations.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { addAgent, addJob, OWNER } from '#server/jobs/testing/queue-room.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import type { OperationContext } from '#server/operations/operation.ts'
import { addTask } from '#server/runtime/testing/runtime-room.ts'
import { csvLines } from './csv.ts'
import { exportList } from './export-list.ts'

const JOBS = 7
const LISTS = ['proposals', 'jobs', 'runs', 'artifacts', 'alerts', 'inbox/entries']

let gateway: TestGateway
let owner: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway()
  const session = await gateway.open({})
  owner = await gateway.bearer({ ...session, role: 'owner', identity: 'owner' })
  await onLedger(gateway.ledger.workerUrl, async (db) => {
    const agent = await addAgent(db, 'exported')
    for (let n = 0; n < JOBS; n++) await addJob(db, { agent, query: n === 3 ? '=1+1' : `Так, "job" ${n}` })
    await recordEvent(db, {
      name: 'config.changed',
      actor: GATEWAY,
      resource: { type: 'setting', id: '+1' },
    })
  })
})
afterAll(() => gateway?.close())

const get = (path: string, headers = owner) => gateway.app.request(`/api/v1/${path}`, { headers })
const rowsOf = async (path: string) =>
  (await (await get(path)).text())
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** What the pages of the list hold, two rows at a time. */
async function pagesOf(path: string): Promise<unknown[]> {
  const items: unknown[] = []
  for (let cursor = ''; ; ) {
    const { items: more, next_cursor } = await (await get(`${path}&limit=2${cursor}`)).json()
    items.push(...more)
    if (next_cursor === null) return items
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`
  }
}

const operation = (wanted: string) =>
  operationList.find(({ name }) => name === wanted) as (typeof operationList)[number]
const [list, proposals] = [operation('jobs.list'), operation('proposals.list')]
const context = () => ({ services: gateway.services, caller: OWNER }) as unknown as OperationContext
async function exported(format: 'jsonl' | 'csv', limits: { rows: number; page: number }): Promise<string> {
  const stream = await exportList(list, context(), { format, agent: 'exported' }, limits)
  if (!stream.ok) throw new Error(stream.refusal.message)
  return new Response(stream.value).text()
}

describe('an export', () => {
  it.each(LISTS)('of %s holds what the pages of the list hold', async (name) => {
    expect(await rowsOf(`${name}/export?format=jsonl`)).toEqual(await pagesOf(`${name}?`))
  })

  it('holds the rows of a filter, in their order', async () => {
    const filter = 'agent=exported&status=PENDING&status=DEAD&q=job'
    const rows = await rowsOf(`jobs/export?${filter}`)
    expect(rows).toHaveLength(JOBS - 1)
    expect(rows).toEqual(await pagesOf(`jobs?${filter}`))
    const events = 'event=config.changed'
    expect(await rowsOf(`audit/events/export?${events}`)).toEqual(await pagesOf(`audit?${events}`))
  })

  it('is read page by page, and says so when there are more rows than it may hold', async () => {
    const lines = (text: string) => text.split('\n').slice(0, -1)
    expect(lines(await exported('jsonl', { rows: 100, page: 2 }))).toHaveLength(JOBS)
    const cut = lines(await exported('jsonl', { rows: 5, page: 2 }))
    expect(cut).toHaveLength(6)
    expect(JSON.parse(cut.at(-1) ?? '')).toEqual({ truncated: expect.stringContaining('first 5 rows') })
    expect(lines(await exported('jsonl', { rows: JOBS, page: JOBS }))).toHaveLength(JOBS)
    expect(lines(await exported('csv', { rows: 5, page: 2 })).at(-1)).toMatch(
      /^# Limited to the first 5 rows/,
    )
  })

  it('ends when its receiver goes away, and after as many rows as were looked at, if few of them may be seen', async () => {
    let read = 0
    const hidden = {
      ...list,
      output: z.object({ items: z.array(z.unknown()), next_cursor: z.string() }),
      run: async () => ok({ items: [], next_cursor: String(++read) }),
    } as unknown as typeof list
    const open = async () => {
      const stream = await exportList(hidden, context(), { format: 'jsonl' }, { rows: 20, page: 2 })
      if (!stream.ok) throw new Error(stream.refusal.message)
      return stream.value
    }
    expect(await new Response(await open()).text()).toContain('Limited to the first 0 rows')
    expect(read).toBe(10)
    await (await open()).cancel()
    expect(read).toBeLessThan(14)
  })

  it('as CSV has a header, and no cell that a spreadsheet takes for a formula', async () => {
    const answer = await get('jobs/export?format=csv&agent=exported')
    expect(answer.headers.get('content-type')).toContain('text/csv')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="jobs.csv"')
    const text = await answer.text()
    expect(text).toMatch(/^job_id,job_type,status,/)
    expect(text).toContain(`,'=1+1,`)
    expect(text).toContain(',"Так, ""job"" 6",')
    expect(text.split('\n')).toHaveLength(JOBS + 2)
  })

  it('of LLM Tasks holds those of the filter, each with what the list shows of it', async () => {
    await onLedger(gateway.ledger.workerUrl, async (db) => {
      for (const agent_slug of ['writer', 'writer', 'reader']) await addTask(db, { agent_slug })
    })
    const rows = await rowsOf('tasks/export?agent=writer&status=queued')
    expect(rows.map(({ agent_slug, status }) => [agent_slug, status])).toEqual(
      Array.from({ length: 2 }, () => ['writer', 'queued']),
    )
    const csv = await (await get('tasks/export?format=csv&agent=reader')).text()
    expect(csv).toMatch(/^id,context_id,agent_slug,/)
    expect(csv.trim().split('\n')).toHaveLength(2)
  })

  it('of events is an event itself, with its filter and format; one that is refused is none', async () => {
    const recorded = () =>
      onLedger(gateway.ledger.workerUrl, async (db) => {
        const { rows } = await db.query<{ actor: string; correlation_id: string | null; details: object }>(
          sql`SELECT actor, correlation_id, details FROM event WHERE name = 'audit.exported' ORDER BY id`,
        )
        return rows
      })
    const before = (await recorded()).length
    expect((await get('audit/events/export?format=csv&event=config.changed&q=setting')).status).toBe(200)
    expect((await get('audit/events/export?format=csv&outcome=maybe')).status).toBe(422)
    expect((await get('audit/events/export', {})).status).toBe(401)
    await get('jobs/export')
    expect((await recorded()).slice(before)).toEqual([
      {
        actor: 'owner',
        correlation_id: expect.any(String),
        details: { format: 'csv', filter: { event: 'config.changed', q: 'setting' } },
      },
    ])
  })

  it('is refused to whom the list is, before it begins', async () => {
    const guest = { ...context(), caller: { ...OWNER, role: 'guest' } } as OperationContext
    await expect(exportList(proposals, guest, { format: 'jsonl' })).rejects.toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
    expect((await get('jobs/export?format=xml')).status).toBe(422)
    expect((await get('jobs/export?limit=3')).status).toBe(422)
    expect((await get('jobs/export', {})).status).toBe(401)
  })
})

it('a CSV escapes texts, not numbers', () => {
  const starts = ['=1', '+1', '-1', '@x', '\tx', '\rx', 'plain']
  expect(
    csvLines(
      ['a'],
      [...starts, -1, null, true].map((cell) => [cell]),
    ),
  ).toBe(`'=1\n'+1\n'-1\n'@x\n'\tx\n"'\rx"\nplain\n-1\n\ntrue\n`)
})
