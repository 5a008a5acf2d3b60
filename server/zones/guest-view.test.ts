import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { SCHEDULER } from '#domain/authority/caller.ts'
import { restRoutes } from '#server/http/routes.ts'
import { schemaOf } from '#server/http/testing/odd-input.ts'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { answerTrpc } from '#server/trpc/answer-trpc.ts'
import { appRouter } from '#server/trpc/router.ts'
import { createZone } from './create-zone.ts'
import { guestServices } from './guest-services.ts'

/** Stands in everything that lies outside the zone: names, texts, tags, summaries. */
const CANARY = /canary/i
const NOTES = {
  'Beds/North.md': '---\ntags: [public]\n---\n# North bed\n\nLeeks.\n',
  'Beds/Draft.md': '---\ntags: [canary-tag]\n---\n# Draft canary\n\nNot tagged as public: canary.\n',
  'Private/Canary.md': '---\ntags: [public, canary-tag]\n---\n# Canary\n\nThe canary sings.\n',
  'Bedside/Canary.md': '---\ntags: [public]\n---\n# Canary beside\n\nThe canary sleeps.\n',
}

const ENGINE = '{"id":"extractive","model":"extractive","version":"1"}'
const GROUNDING = '{"status":"grounded","claims":1,"grounded_claims":1}'

let gateway: WholeGateway
let guest: Record<string, string>
let inside: string[] = []
let outside: string[] = []

beforeAll(async () => {
  gateway = await wholeGateway(NOTES)
  const headers = await gateway.bearer(await gateway.open({}))
  const submit = async (action: string, path: string, diff: object, summary: string) => {
    const kind = action === 'propose-note' ? { kind: 'note' } : {}
    const payload = { diff, summary, reasoning: summary, ...kind }
    const body = JSON.stringify({ intent: { action, target: `notes/${path}`, payload } })
    const answer = await gateway.app.request('/api/v1/inbox', { method: 'POST', headers, body })
    expect([answer.status, await answer.text()]).toEqual([202, expect.stringContaining('prop_')])
  }
  const edit = (path: string, summary: string) =>
    submit('propose-edit', path, { type: 'append', position: 'end', text: `\n${summary}\n` }, summary)
  await edit('Beds/North.md', 'Water it')
  await edit('Private/Canary.md', 'Feed the canary')
  await edit('Beds/Draft.md', 'Finish the canary draft')
  await submit(
    'propose-note',
    'Private/New canary.md',
    { type: 'create', text: '# New canary\n' },
    'Another canary',
  )
  const { db } = gateway.services
  for (const [title, paths] of [
    ['About leeks', ['Beds/North.md']],
    ['About the canary', ['Private/Canary.md']],
    ['About leeks and a canary', ['Beds/North.md', 'Private/Canary.md']],
    ['Without sources: canary', []],
  ] as const) {
    await db.query(sql`INSERT INTO artifact (engine, grounding, artifact_id, agent_slug, type, title, object_key, content_sha256, bytes, source_paths)
      VALUES (${ENGINE}::jsonb, ${GROUNDING}::jsonb, ${`art-${randomUUID()}`}, 'research-librarian', 'RESEARCH_BRIEF', ${title}, ${`k/${title}`}, ${'0'.repeat(64)}, 10, ${[...paths]})`)
  }
  const { rows } = await db.query<{ id: string; hidden: boolean }>(sql`
    SELECT proposal_id AS id, summary ~* 'canary' AS hidden FROM proposal UNION ALL SELECT artifact_id, title ~* 'canary' FROM artifact
    UNION ALL SELECT inbox_id, true FROM inbox_entry UNION ALL (SELECT event_id, true FROM event LIMIT 3)`)
  inside = rows.filter((row) => !row.hidden).map((row) => row.id)
  outside = rows.filter((row) => row.hidden).map((row) => row.id)
  guest = await enter({ folders: ['Beds'], tags: ['public'] })
})
afterAll(() => gateway.close())

async function enter(scope: { folders: string[]; tags: string[] }): Promise<Record<string, string>> {
  const owner = { role: 'owner', identity: 'owner', via: 'console' } as const
  const made = await createZone(
    gateway.services,
    { name: 'Readers', description: '', minutes: 60, ...scope },
    owner,
  )
  if (!made.ok) throw new Error('no zone')
  const { zone_id, expires_at } = made.value.zone
  const zone = { zoneId: zone_id, expiresAt: new Date(expires_at), consentVersion: 1 }
  return gateway.bearer(await gateway.open({ role: 'guest', identity: `zone:${zone_id}`, zone }))
}

const FILTER_VALUES: Record<string, string[]> = {
  q: ['canary', 'leeks'],
  path: Object.keys(NOTES),
  folder: ['Private', 'Beds', 'Bedside', ''],
  tag: ['canary-tag', 'public'],
  target: ['notes/Private/Canary.md', 'Private'],
  from: ['1'],
  to: ['5'],
  lines: ['1-5'],
}

/** Every reading route with every id and path of the garden, and every filter that it knows. */
function readings(): string[] {
  return restRoutes
    .filter(
      (declared) =>
        declared.method === 'get' && !('key' in declared.policy) && !declared.path.includes('/events/stream'),
    )
    .flatMap((declared) => {
      const names = [...inside, ...outside, ...Object.keys(NOTES), 'research-librarian', '1']
      const paths = declared.path.includes('{')
        ? names.map((name) => declared.path.replaceAll(/\{\w+\}/g, encodeURIComponent(name)))
        : [declared.path]
      const fields = Object.keys(schemaOf(declared.query).properties ?? {})
      const one = fields.flatMap((field) =>
        (FILTER_VALUES[field] ?? []).map((value) => `?${field}=${encodeURIComponent(value)}`),
      )
      const ranges =
        fields.includes('path') && fields.includes('from')
          ? Object.keys(NOTES).map((path) => `?path=${encodeURIComponent(path)}&from=1&to=5`)
          : []
      const queries = paths.length === 1 ? ['', ...one, ...ranges] : ['']
      return paths.flatMap((path) => queries.map((query) => `${path}${query}`))
    })
}

/** Some hundred requests each; generous, since it only matters when something hangs. */
const SWEEP_MS = 300_000

describe('a guest with every address, id and path of the garden', () => {
  test('gets nothing from outside the zone over REST', { timeout: SWEEP_MS }, async () => {
    let seen = ''
    for (const address of readings()) {
      const answer = await gateway.app.request(address, { headers: guest })
      const text = await answer.text()
      // Nothing probes here, so `/health` says 503.
      const answered = answer.status < 500 || answer.status === 502 || address.startsWith('/health')
      expect([address, CANARY.exec(text)?.[0], answered]).toEqual([address, undefined, true])
      for (const id of outside) expect([address, text.includes(id)]).toEqual([address, false])
      seen += text
    }
    expect(inside.filter((id) => !seen.includes(id))).toEqual([])
    expect(seen.includes('Beds/North.md')).toBe(true)
  })

  test('gets nothing from outside the zone over tRPC', { timeout: SWEEP_MS }, async () => {
    type Procedure = { _def: { type: string; inputs: z.ZodType[] } }
    const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
    let seen = ''
    for (const [path, { _def }] of procedures) {
      if (_def.type !== 'query') continue
      const { properties = {}, required = [] } = schemaOf(_def.inputs[0])
      const ids = [...inside, ...outside]
      const values = (field: string) =>
        FILTER_VALUES[field]?.map((value) => (['from', 'to'].includes(field) ? Number(value) : value)) ?? ids
      const base = Object.fromEntries(required.map((field) => [field, values(field)[0]]))
      const inputs = [
        base,
        ...Object.keys(properties).flatMap((field) =>
          values(field).map((value) => ({ ...base, [field]: value })),
        ),
      ]
      for (const input of inputs) {
        const url = `http://localhost/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`
        const text = await (await answerTrpc(gateway.services, new Request(url, { headers: guest }))).text()
        expect([path, input, CANARY.exec(text)?.[0]]).toEqual([path, input, undefined])
        for (const id of outside) expect([path, input, text.includes(id)]).toEqual([path, input, false])
        seen += text
      }
    }
    expect(inside.filter((id) => !seen.includes(id))).toEqual([])
  })

  test('reads what lies inside without a word of who or how', async () => {
    const [proposal] = inside.filter((id) => id.startsWith('prop_'))
    const answer = await gateway.app.request(`/api/v1/proposals/${proposal}`, { headers: guest })
    expect(answer.status).toBe(200)
    const keys = Object.keys(await answer.json())
    for (const hidden of ['source', 'decided_by', 'run_id', 'agent', 'decision_note', 'reasoning'])
      expect(keys).not.toContain(hidden)
  })

  test('cannot tell what is hidden from what is missing', async () => {
    const pairs = [
      [
        `/api/v1/proposals/${outside.find((id) => id.startsWith('prop_'))}`,
        '/api/v1/proposals/prop_2026-01-01_000000000000',
      ],
      [
        `/api/v1/artifacts/${outside.find((id) => id.startsWith('art-'))}`,
        `/api/v1/artifacts/art-${randomUUID()}`,
      ],
      ['/api/v1/notes/view?path=Private%2FCanary.md', '/api/v1/notes/view?path=Private%2FMissing.md'],
      ['/api/v1/notes/view?path=Beds%2FDraft.md', '/api/v1/notes/view?path=Beds%2FMissing.md'],
    ]
    for (const [hidden, missing] of pairs) {
      const [a, b] = await Promise.all(
        [hidden, missing].map((path) => gateway.app.request(path as string, { headers: guest })),
      )
      const [one, other] = [await a?.json(), await b?.json()]
      expect([hidden, a?.status, one.error]).toEqual([hidden, 404, other.error])
      expect(b?.status).toBe(404)
    }
  })

  test('changes nothing: every other method is refused', async () => {
    const openPaths = [
      '/api/v1/auth/',
      '/api/v1/zones/enter',
      '/api/v1/zones/consent',
      '/api/v1/notes/suggestions',
    ]
    for (const declared of restRoutes) {
      if (
        declared.method === 'get' ||
        'key' in declared.policy ||
        openPaths.some((prefix) => declared.path.startsWith(prefix))
      )
        continue
      const path = declared.path.replaceAll(/\{\w+\}/g, encodeURIComponent(inside[0] as string))
      const answer = await gateway.app.request(path, {
        method: declared.method.toUpperCase(),
        headers: guest,
        body: '{}',
      })
      expect([path, answer.status]).toEqual([path, 403])
    }
  })

  test('hears of nothing outside the zone', async () => {
    const answer = await gateway.app.request('/api/v1/events/stream', {
      headers: { ...guest, 'last-event-id': '0' },
    })
    await onLedger(gateway.ledger.workerUrl, sealAll)
    gateway.services.notifier.notify('sealed')
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        text += Buffer.from(value).toString()
      }
    })()
    const proposal = inside.find((id) => id.startsWith('prop_')) as string
    await waitUntil(() => text.includes(proposal))
    for (const id of outside) expect(text).not.toContain(id)
    expect(text).not.toMatch(/correlation_id|canary/i)
    await reader.cancel()
    await reading
  })

  test('keeps the stream while the session holds, however often that is checked', async () => {
    const answer = await gateway.app.request('/api/v1/events/stream', { headers: guest })
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    let frames = 0
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        frames += Buffer.from(value).toString().split('event: proposal').length - 1
      }
    })()
    const id = inside.find((one) => one.startsWith('prop_')) as string
    for (let round = 1; round <= 5; round++) {
      gateway.services.notifier.notify('sessions')
      const resource = { type: 'proposal', id }
      await recordEvent(gateway.services.db, { name: 'proposal.extended', actor: SCHEDULER, resource })
      await onLedger(gateway.ledger.workerUrl, sealAll)
      gateway.services.notifier.notify('sealed')
      await waitUntil(() => frames >= round)
    }
    await reader.cancel()
    await reading
  })
})

describe('the ledger itself, for a guest', () => {
  test.each([
    ['reads accounts', sql`SELECT * FROM account`],
    ['reads sessions', sql`SELECT * FROM session`],
    ['reads jobs', sql`SELECT * FROM job`],
    [
      'writes an event',
      sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id) VALUES ('x', 'x', 'x', 'x', 'x')`,
    ],
    ['changes a zone', sql`UPDATE zone SET name = 'mine'`],
    ['takes its own role off', sql`SELECT set_config('role', 'none', true) FROM account`],
  ])('refuses what %s', async (_what, statement) => {
    await expect(guestServices(gateway.services).db.query(statement)).rejects.toThrow(
      /permission denied|read-only/,
    )
  })

  test('refuses the same of Prisma Client', async () => {
    const { reads } = guestServices(gateway.services)
    await expect(reads.account.findMany()).rejects.toThrow(/permission denied|access/)
    await expect(reads.zone.updateMany({ data: { name: 'mine' } })).rejects.toThrow(
      /permission denied|read-only|access/,
    )
    expect(await reads.proposal.count()).toBeGreaterThanOrEqual(0)
    expect(await gateway.services.reads.account.count()).toBeGreaterThan(0)
  })

  test('shows proposals, and leaves the connection as it was', async () => {
    const { rows } = await guestServices(gateway.services).db.query<{ role: string }>(
      sql`SELECT current_user AS role, count(*) FROM proposal`,
    )
    expect(rows[0]?.role).toMatch(/_guest$/)
    const after = await gateway.services.db.query<{ role: string }>(
      sql`SELECT current_user AS role FROM account`,
    )
    expect(after.rows[0]?.role).toMatch(/_web$/)
  })
})
