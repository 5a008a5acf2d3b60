import { spawnSync } from 'node:child_process'
import { createHash, createPublicKey } from 'node:crypto'
import fs from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY } from '#domain/authority/caller.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { open } from './dsse.ts'
import { MANIFEST_TYPE } from './export-audit.ts'
import { HEAD_TYPE } from './sign-head.ts'

let gateway: TestGateway
let folder: string
let headers: Record<string, string>
beforeAll(async () => {
  gateway = await testGateway()
  const { services } = gateway
  folder = await mkdtemp(path.join(tmpdir(), 'audit-'))
  Object.assign(services, { store: await openDirectoryStore(folder) })
  const session = await gateway.open({})
  headers = await gateway.bearer({ ...session, role: 'owner', identity: 'owner' })
  for (let n = 0; n < 12; n++)
    await recordEvent(services.db, {
      name: 'config.changed',
      actor: GATEWAY,
      resource: { type: 'setting', id: n === 3 ? '=1+1' : `s-${n}` },
      reason: 'Так, «справді», "quoted"\nand more',
      details: { n, share: n / 7, very: 1e21 },
    })
  await onLedger(gateway.ledger.workerUrl, sealAll)
})
afterAll(async () => {
  await gateway?.close()
  await rm(folder, { recursive: true, force: true })
})

const get = (path: string) => gateway.app.request(path, { headers })
const lines = async (query: string) =>
  (await (await get(`/api/v1/audit/export?${query}`)).text()).split('\n').slice(0, -1)

async function trusted() {
  const { key_id, public_key } = await (await get('/api/v1/audit/keys')).json()
  return new Map([[key_id, createPublicKey(public_key)]])
}

describe('an export of the audit', () => {
  it('carries the hashed bytes, their chain, and a signed manifest and head', async () => {
    const exported = await lines('format=jsonl')
    const closing = JSON.parse(exported.pop() ?? '')
    const { rows } = await gateway.services.db.query<{ body: string }>(
      sql`SELECT e.body FROM event e JOIN event_seal s ON s.event = e.id ORDER BY s.seq`,
    )
    exported.forEach((line, n) => {
      expect(line.startsWith(`{"event":${rows[n]?.body},"hash":`)).toBe(true)
    })
    const text = exported.map((line) => `${line}\n`).join('')
    const manifest = open(MANIFEST_TYPE, Buffer.from(JSON.stringify(closing.manifest)), await trusted())
    expect(manifest).toMatchObject({
      ok: true,
      payload: {
        events: exported.length,
        from_seq: 1,
        sha256: createHash('sha256').update(text).digest('hex'),
      },
    })
    const head = open(HEAD_TYPE, Buffer.from(JSON.stringify(closing.head)), await trusted())
    expect(head).toMatchObject({
      ok: true,
      payload: { seq: exported.length, hash: JSON.parse(exported.at(-1) ?? '').hash },
    })
    const { rows: recorded } = await gateway.services.db.query(
      sql`SELECT actor FROM event WHERE name = 'audit.exported'`,
    )
    expect(recorded[0]).toEqual({ actor: 'owner' })
  })

  it('takes a range, and refuses one that holds nothing', async () => {
    const exported = await lines('from_seq=3&to_seq=5')
    expect(exported.slice(0, -1).map((line) => JSON.parse(line).seq)).toEqual([3, 4, 5])
    expect((await lines('from_seq=3&to_seq=9999')).length).toBeGreaterThan(exported.length)
    expect((await get('/api/v1/audit/export?from_seq=9999')).status).toBe(422)
    expect((await get('/api/v1/audit/export?format=xml')).status).toBe(422)
  })

  it('is a CSV whose texts no spreadsheet takes for a formula', async () => {
    const answer = await get('/api/v1/audit/export?format=csv')
    expect(answer.headers.get('content-type')).toContain('text/csv')
    const text = await answer.text()
    expect(text).toMatch(/^seq,ts,event,actor,/)
    expect(text).toContain(",'=1+1,")
    expect(text).toMatch(/\n# {"head":{.*},"manifest":{.*}}\n$/)
  })

  it('leaves no event out where it is longer than a page', async () => {
    await gateway.services.db.query(sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id)
        SELECT 'config.changed', 'x', 'x', 'setting', n FROM generate_series(1, 1005) n`)
    await onLedger(gateway.ledger.workerUrl, sealAll)
    const exported = (await lines('format=jsonl')).slice(0, -1).map((line) => JSON.parse(line).seq)
    expect(exported.length).toBeGreaterThan(1_005)
    expect(exported).toEqual(exported.map((_, n) => n + 1))
  })

  it('is recomputed by a few lines of Python, which see a flipped byte and a missing line', async (context) => {
    if (spawnSync('python3', ['--version']).status !== 0) lacking(context, 'python3')
    const [, script = ''] =
      /```python\n([\s\S]*?)```/.exec(fs.readFileSync('server/audit/README.md', 'utf8')) ?? []
    expect(script.trim().split('\n').length).toBeLessThanOrEqual(11)
    const text = (await lines('format=jsonl')).join('\n')
    const run = (input: string) => spawnSync('python3', ['-c', script], { input, encoding: 'utf8' })
    expect(run(text)).toMatchObject({ status: 0, stdout: expect.stringContaining('events, last hash') })
    expect(run(text.replace('s-5', 's-6')).status).not.toBe(0)
    const gap = text.split('\n').filter((_, n) => n !== 3 && n !== 4)
    expect(run(gap.join('\n'))).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('lost: 4 to 5'),
    })
  })
})
