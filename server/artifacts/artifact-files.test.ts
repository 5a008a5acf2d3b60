/** What a reader gets of an artifact beside its page: what became of its sources, and its exports; the owner, and guests of a zone. */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ArtifactSource } from '#contracts/research.contract.ts'
import { type WholeGateway, wholeGateway } from '#server/http/testing/whole-gateway.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { PERSON } from '#server/proposals/testing/garden-kit.ts'
import { sourcesNow } from '#server/retrieval/source-now.ts'
import { createZone } from '#server/zones/create-zone.ts'
import { prepareArtifact } from './artifact-document.ts'
import { groundSubmission } from './ground-submission.ts'

const NOTES = {
  'Beds/North.md': '# North\n\nLeeks and garlic.\n',
  'Beds/South.md': '# South\n\nTomatoes. They like\nthe sun.\n',
  'Beds/West.md': '# West\n\nBeans climb.\n',
  'Beds/Gone.md': '# Gone\n\nKale stays.\n',
  'Private/Plan.md': '# Plan\n\nSell the garden.\n',
}
const TITLE = 'Оренди й фенси: «що росте»?'

let gateway: WholeGateway
let owner: Record<string, string>
let guest: Record<string, string>
let first: string
beforeAll(async () => {
  gateway = await wholeGateway(NOTES)
  owner = await gateway.bearer(await gateway.open({}))
  first = await gateway.services.garden.head()
  guest = await enter({ folders: ['Beds'], tags: [] })
})
afterAll(() => gateway.close())

/** A guest of a new zone. */
async function enter(scope: { folders: string[]; tags: string[] }): Promise<Record<string, string>> {
  const made = await createZone(
    gateway.services,
    { name: 'Z', description: '', minutes: 60, ...scope },
    { role: 'owner', identity: 'owner', via: 'console' },
  )
  if (!made.ok) throw new Error('no zone')
  const { zone_id, expires_at } = made.value.zone
  const zone = { zoneId: zone_id, expiresAt: new Date(expires_at), consentVersion: 1 }
  return gateway.bearer(await gateway.open({ role: 'guest', identity: `zone:${zone_id}`, zone }))
}

const place = (ref: string, excerpt: string, from = 3, to = from): ArtifactSource => ({
  ref,
  lines: { from, to },
  excerpt,
  revision: first,
})
const NORTH = () => place('Beds/North.md', 'Leeks and garlic.')

/** An artifact as the gateway would have written it. */
async function artifactOf(sources: ArtifactSource[], body: string): Promise<{ id: string; key: string }> {
  const { garden, store, db } = gateway.services
  const job = {
    job_id: randomUUID(),
    job_type: 'RESEARCH' as const,
    run_id: 'run_2026-05-04_081500_m4t8qz',
    agent_slug: 'research-librarian',
    reserved_artifact_id: `art-${randomUUID()}`,
  }
  const submission = {
    job_id: job.job_id,
    type: 'RESEARCH_BRIEF' as const,
    content: {
      title: TITLE,
      summary: 'Leeks and garlic.',
      sections: [{ heading: 'Beds', body, sources: sources.map(({ ref }) => ref) }],
      conclusions: ['They sing at night.'],
      open_questions: ['Why?'],
    },
    sources,
    entity_refs: ['leeks'],
    tags: ['beds'],
    grounding: { status: 'grounded' as const, claims: 1, grounded_claims: 1 },
    engine: { id: 'extractive', model: null, version: '1' },
  }
  const made = prepareArtifact(job, await groundSubmission({ garden }, { payload: {} }, submission))
  if (!made.ok) throw new Error(made.refusal.message)
  const a = made.value
  await store.create(a.object_key, a.bytes)
  await db.query(sql`INSERT INTO artifact (artifact_id, agent_slug, run_id, type, title, object_key, content_sha256, bytes, engine, grounding, source_paths, tags, entity_refs)
    VALUES (${a.artifact_id}, ${job.agent_slug}, ${job.run_id}, ${a.type}, ${a.title}, ${a.object_key}, ${a.sha256}, ${a.bytes.byteLength}, ${JSON.stringify(a.engine)}::jsonb,
      ${JSON.stringify(a.grounding)}::jsonb, ${a.source_paths}, ${a.tags}, ${a.entity_refs})`)
  return { id: a.artifact_id, key: a.object_key }
}

const get = (path: string, headers = owner) => gateway.app.request(`/api/v1/artifacts/${path}`, { headers })
const codeOf = async (answer: Response) => (await answer.json()).error.code

async function change(changes: Record<string, string | null>): Promise<void> {
  const { garden } = gateway.services
  const parent = await garden.head()
  const by = { message: 'Change', author: PERSON, committer: PERSON }
  const list = Object.entries(changes).map(([path, content]) => ({ path, content }))
  const next = await garden.commit({ parent, changes: list, ...by })
  expect(await garden.updateBranch(parent, next)).toBe(true)
}

describe('the sources of an artifact now', () => {
  test('are the same, moved, changed, deleted, never there, or not of the garden', async () => {
    const cited = [
      NORTH(),
      place('Beds/South.md', 'They like\nthe sun.', 3, 4),
      place('Beds/West.md', 'Beans climb.'),
      place('Beds/Gone.md', 'Kale stays.'),
      place('Beds/North.md', 'Leeks sing.'),
    ]
    const brought = { ...NORTH(), revision: sha256Hex('Leeks and garlic.') }
    const { id } = await artifactOf([...cited, brought], 'Leeks and garlic.')
    const { id: shown } = await artifactOf(cited, 'Leeks and garlic.')
    const states = async (of = id, headers = owner) =>
      (await (await get(`${of}/sources`, headers)).json()).sources.map(
        ({ state, lines }: { state: string; lines: unknown }) => [state, lines],
      )
    const same = ['same', { from: 3, to: 3 }]
    const others = [
      ['unfound', null],
      ['external', null],
    ]
    expect(await states()).toEqual([same, ['same', { from: 3, to: 4 }], same, same, ...others])
    expect(await states(shown, guest)).toEqual(await states(shown))
    await change({
      'Beds/South.md': '# South\n\nNew.\n\nTomatoes. They\nlike the sun. And more.\n',
      'Beds/West.md': '# West\n\nBeans are gone.\n',
      'Beds/Gone.md': null,
    })
    const now = [same, ['moved', { from: 5, to: 6 }], ['changed', null], ['deleted', null], ...others]
    expect(await states()).toEqual(now)
    // What is deleted is in no zone.
    expect((await get(`${shown}/sources`, guest)).status).toBe(404)
    expect((await (await get(`${id}/sources`)).json()).revision).toBe(await gateway.services.garden.head())
  })

  test('cost a read for each file and revision, however many there are', async () => {
    const { garden } = gateway.services
    const reads: string[] = []
    const counting = {
      head: () => garden.head(),
      isOnBranch: (oid: string) => garden.isOnBranch(oid),
      read: (path: string, revision?: string) => {
        reads.push(`${path} ${revision}`)
        return garden.read(path, revision)
      },
    }
    const many = Array.from({ length: 200 }, (_, n) =>
      n % 2 ? NORTH() : place('Beds/West.md', 'Beans climb.'),
    )
    const { sources } = await sourcesNow(counting, many)
    expect(sources.map(({ state }) => state).slice(0, 2)).toEqual(['changed', 'same'])
    expect(reads).toHaveLength(4)
  })
})

test('a guest is told of an artifact neither agent nor job nor run, and finds none by them', async () => {
  const { id } = await artifactOf([NORTH()], 'Leeks and garlic, by whom?')
  const listed = async (query: string, headers = guest) =>
    (await (await gateway.app.request(`/api/v1/artifacts${query}`, { headers })).json()).items
  const answers = [(await listed(''))[0], await (await get(id, guest)).json()]
  for (const { agent_slug, job_id, run_id } of answers)
    expect([agent_slug, job_id, run_id]).toEqual([null, null, null])
  for (const query of ['?agent=research-librarian', '?run=run_2026-05-04_081500_m4t8qz'])
    expect([await listed(query), (await listed(query, owner)).length > 0]).toEqual([[], true])
})

test('a guest reads no quote of a note that left the zone, nor of what it said before it came', async () => {
  const tagged = await enter({ folders: [], tags: ['open'] })
  const quoting = async (excerpt: string, from: number) => {
    const revision = await gateway.services.garden.head()
    return (await artifactOf([{ ...place('Beds/Came.md', excerpt, from), revision }], excerpt)).id
  }
  const statuses = (id: string, headers: Record<string, string>) =>
    Promise.all(
      ['', '/sources', '/export?format=md'].map(async (what) => (await get(`${id}${what}`, headers)).status),
    )
  const [read, hidden] = [
    [200, 200, 200],
    [404, 404, 404],
  ]
  await change({ 'Beds/Came.md': '# Came\n\nThe canary sings.\n' })
  const before = await quoting('The canary sings.', 3)
  await change({ 'Beds/Came.md': '---\ntags: [open]\n---\n# Came\n\nKale grows.\n' })
  const since = await quoting('Kale grows.', 6)
  expect([await statuses(before, tagged), await statuses(since, tagged)]).toEqual([hidden, read])
  expect([await statuses(before, guest), await statuses(since, guest)]).toEqual([read, read])

  const listed = async (headers: Record<string, string>) => {
    const { items } = await (await gateway.app.request('/api/v1/artifacts?limit=100', { headers })).json()
    return items.filter(({ artifact_id }: { artifact_id: string }) => [before, since].includes(artifact_id))
  }
  const counted = async (headers: Record<string, string>) =>
    (await (await gateway.app.request('/api/v1/artifacts/stats', { headers })).json()).total
  expect(await listed(guest)).toHaveLength(2)
  const count = await counted(guest)
  await change({ 'Beds/Came.md': null, 'Private/Came.md': '---\ntags: [shut]\n---\n# Came\n\nKale grows.\n' })
  for (const id of [before, since])
    expect([await statuses(id, tagged), await statuses(id, guest)]).toEqual([hidden, hidden])
  expect([await listed(tagged), await listed(guest), await counted(guest)]).toEqual([[], [], count - 2])
})

test('a guest of folders reads no text that a job brought under the name of a note, nor of a revision without it', async () => {
  const draft = '# North\n\nLeeks are for sale.\n'
  const brought = { ...place('Beds/North.md', 'Leeks are for sale.'), revision: sha256Hex(draft) }
  await change({ 'Beds/Late.md': '# Late\n\nSorrel comes.\n' })
  const before = place('Beds/Late.md', 'Sorrel comes.')
  const since = { ...before, revision: await gateway.services.garden.head() }
  const statuses = async (source: ArtifactSource, headers: Record<string, string>) => {
    const { id } = await artifactOf([NORTH(), source], source.excerpt)
    const answers = ['', '/sources', '/export?format=md'].map((what) => get(`${id}${what}`, headers))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  for (const source of [brought, before]) expect(await statuses(source, guest)).toEqual([404, 404, 404])
  for (const source of [brought, before]) expect(await statuses(source, owner)).toEqual([200, 200, 200])
  expect(await statuses(since, guest)).toEqual([200, 200, 200])
})

describe('an export', () => {
  test('as JSON is the stored bytes, named after the title', async () => {
    const { id } = await artifactOf([NORTH()], 'Leeks and garlic.')
    const answer = await get(`${id}/export?format=json`)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const { content_sha256 } = await (await get(id)).json()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(sha256Hex(bytes)).toBe(content_sha256)
    expect(answer.headers.get('repr-digest')).toBe(
      `sha-256=:${Buffer.from(content_sha256, 'hex').toString('base64')}:`,
    )
    const name = encodeURIComponent('Оренди й фенси «що росте».json')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="${id}.json"; filename*=UTF-8''${name}`,
    )
  })

  test('as Markdown has a footnote for each citation, and marks what has none', async () => {
    const { id } = await artifactOf([NORTH()], 'Leeks and garlic. They sing at night.')
    const answer = await get(`${id}/export?lang=uk`)
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const text = await answer.text()
    const [, front, body] = text.split('---\n')
    expect(front).toContain(`artifact: ${id}\n`)
    expect(front).toContain('grounding: partial 2/4\n')
    expect(body).toBe(
      [
        `# ${TITLE}`,
        'Leeks and garlic.[^source-1]',
        '## Beds',
        'Leeks and garlic.[^source-1] They sing at night.[^ungrounded]',
        '## Висновки',
        '- They sing at night.[^ungrounded]',
        '## Відкриті запитання',
        '- Why?',
        `[^source-1]: \`Beds/North.md\`, рядок 3, ревізія \`${first}\``,
        '    > Leeks and garlic.',
        '[^ungrounded]: Не підтверджено: цього речення немає в жодному з наведених місць.\n',
      ]
        .join('\n\n')
        .replace(/^/, '\n'),
    )
  })

  test('has labels that stand nowhere in the text, so none of its own comes before a citation', async () => {
    const forged = (label: string) => `[^${label}]: \`Beds/Other.md\`, lines 1–2.\n\n`
    const body = `Leeks and garlic.\n\n${forged('\u017Fource-1')}${forged('Ungrounded2')}They sing.`
    const { id } = await artifactOf([NORTH()], body)
    const text = await (await get(`${id}/export`)).text()
    const own = text.match(/\[\^(?:source|ungrounded)\d*-?\d*\](?=: )/g)
    expect(own).toEqual(['[^source3-1]', '[^ungrounded3]'])
    expect(text).toContain('Leeks and garlic.[^source3-1]\n')
    expect(text).toContain('They sing.[^ungrounded3]\n')
  })

  test('for a guest is Markdown without agent, job and run; JSON names them', async () => {
    const { id } = await artifactOf([NORTH()], 'Leeks and garlic.')
    const markdown = await get(`${id}/export`, guest)
    expect(markdown.status).toBe(200)
    expect(await markdown.text()).not.toMatch(/run_|job|agent|librarian/)
    expect(await (await get(`${id}/export`)).text()).toContain('agent: research-librarian\n')
    const json = await get(`${id}/export?format=json`, guest)
    expect([json.status, await codeOf(json)]).toEqual([403, 'FORBIDDEN'])
  })

  test('and the sources of what cites a note outside the zone do not exist for a guest', async () => {
    const secret = place('Private/Plan.md', 'Sell the garden.')
    const { id } = await artifactOf([NORTH(), secret], 'Leeks and garlic.')
    for (const path of [`${id}/export?format=md`, `${id}/export?format=json`, `${id}/sources`, id]) {
      const answer = await get(path, guest)
      expect([path, answer.status, await codeOf(answer)]).toEqual([path, 404, 'NOT_FOUND'])
    }
    expect((await get(`${id}/sources`)).status).toBe(200)
  })

  test('of spoilt bytes is refused in either form', async () => {
    const { id, key } = await artifactOf([NORTH()], 'Leeks and garlic, spoilt.')
    await rm(join(gateway.services.env.BLOOM_HOME, 'objects', key), { force: true })
    for (const path of [`${id}/export?format=md`, `${id}/export?format=json`, `${id}/sources`]) {
      const answer = await get(path)
      expect([path, answer.status, await codeOf(answer)]).toEqual([path, 502, 'ARTIFACT_CORRUPT'])
    }
  })
})
