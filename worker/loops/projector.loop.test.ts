import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { lastSeal, sealAll } from '#server/ledger/seal.ts'
import { listProjectionFaults, retryProjection } from '#server/outbox/retry-projection.ts'
import { type ObjectStore, StorageUnavailable } from '#server/ports/object-store.ts'
import { runFolder } from '#server/runs/run-ids.ts'
import { ask, type Harness, OWNER, openHarness, status, until } from '#server/runs/testing/harness.ts'
import { noteProposal, outputOf } from '#server/runs/testing/run-kit.ts'
import { getHealth } from '#server/system/get-health.query.ts'
import { getMetrics } from '#server/system/get-metrics.query.ts'
import { probeHealth } from '#server/system/probe-health.ts'
import { projectorLoop } from './projector.loop.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
let folder: string
let store: ObjectStore
let broken: string
let sound: string
beforeAll(async () => {
  h = await openHarness(['scout'])
  let made = 0
  const worker = await h.worker({
    execute: async () => outputOf({ proposals: [noteProposal(`answer-${++made}`, '# Answer\n')] }),
  })
  broken = await ask(h.kit, 'scout')
  await until(worker, broken, status('completed'))
  sound = await ask(h.kit, 'scout')
  await until(worker, sound, status('completed'))
  folder = await mkdtemp(path.join(tmpdir(), 'bloom-projector-'))
  store = await openDirectoryStore(folder)
})
afterAll(async () => {
  await h?.close()
  await rm(folder, { recursive: true, force: true })
})

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const objectOf = async (runId: string, name: string) => {
  const found = await store.get(`${runFolder('scout', runId)}/${name}`)
  return found ? new TextDecoder().decode(found.bytes) : null
}
const project = async (into: ObjectStore = store) => {
  await sealAll(h.kit.db)
  const loop = projectorLoop({ db: h.kit.db, store: into }, 'test')
  while ((await loop.tick(new AbortController().signal, () => undefined)) === 'again');
}
const position = async () => {
  const { rows } = await h.kit.db.query<{ seq: number }>(
    sql`SELECT seq FROM consumer WHERE name = 'projector'`,
  )
  return rows[0]?.seq ?? 0
}
const keysBelow = async (prefix: string) => (await store.list(prefix)).keys
const auditOf = async () => {
  await probeHealth({
    db: h.kit.db,
    store,
    gardenState: async () => ({ status: 'healthy', message: null }),
    nlmBackend: async () => ({ status: 'healthy', message: null }),
    controlPlane: async () => ({ status: 'healthy', message: null }),
    schema: async () => ({ status: 'healthy', message: null }),
    storeFault: () => null,
    orchestration: h.kit.orchestration,
  })
  return (await getHealth({ db: h.kit.db, env: { BLOOM_HOME: tmpdir() } })).components.audit
}
const eventsOf = async (runId: string) => {
  const { rows } = await h.kit.db.query<{ name: string }>(
    sql`SELECT name FROM event WHERE resource_type = 'projection' AND resource_id = ${`run:${runId}`} ORDER BY id`,
  )
  return rows.map((r) => r.name)
}

describe('the projector', () => {
  const step = 'steps/02-execute-agent.json'

  it('stops where it is while the store does not answer', async () => {
    const down = new Proxy(store, {
      get: (target, name) =>
        name === 'createMany'
          ? () => Promise.reject(new StorageUnavailable('down'))
          : Reflect.get(target, name).bind(target),
    })
    await expect(project(down)).rejects.toBeInstanceOf(StorageUnavailable)
    expect(await position()).toBe(0)
    expect(await listProjectionFaults(h.kit)).toEqual([])
  })

  it('sets one run with a foreign object aside and projects everything else', async () => {
    const key = `${runFolder('scout', broken)}/${step}`
    await store.create(key, bytes({ somebody: 'else' }))
    await store.create(`proposals/not-json.json`, new TextEncoder().encode('{'))
    await project()
    await project()
    expect(await position()).toBe(await lastSeal(h.kit.db))
    expect(await objectOf(sound, 'status.json')).toContain('"completed"')
    expect(await objectOf(broken, 'status.json')).toBeNull()
    expect((await keysBelow('proposals/')).filter((k) => !k.includes('not-json')).length).toBeGreaterThan(0)
    expect(await listProjectionFaults(h.kit)).toEqual([
      expect.objectContaining({
        resource_type: 'run',
        resource_id: broken,
        object_key: key,
        retrying: false,
      }),
    ])
    expect(await eventsOf(broken)).toEqual(['projection.failed'])
    const day = `audit/${new Date().toISOString().slice(0, 10).replaceAll('-', '')}/`
    expect((await keysBelow(day)).length).toBe(await lastSeal(h.kit.db))
  })

  it('says so in health and metrics', async () => {
    const audit = await auditOf()
    expect(audit.status).toBe('degraded')
    expect(audit.message).toContain(broken)
    const scraped = { db: h.kit.db, env: { BLOOM_HOME: '.' }, streams: () => [] }
    expect(await getMetrics(scraped)).toContain('garden_projection_faults 1')
  })

  const retry = (id: string) => retryProjection(h.kit, { resource_type: 'run', resource_id: id }, OWNER)

  it('keeps it aside when a retry meets the same object', async () => {
    expect(await retry(broken)).toMatchObject({ ok: true })
    expect(await listProjectionFaults(h.kit)).toMatchObject([{ retrying: true }])
    await project()
    expect(await listProjectionFaults(h.kit)).toMatchObject([{ resource_id: broken, retrying: false }])
  })

  it('projects all of it when the object is gone and an operator asks', async () => {
    await store.remove(`${runFolder('scout', broken)}/${step}`)
    const resource = { type: 'run', id: broken }
    await recordEvent(h.kit.db, { name: 'run.cancel_requested', actor: OWNER, resource })
    await project()
    expect(await objectOf(broken, 'status.json')).toBeNull()
    await retry(broken)
    await project()
    expect(await objectOf(broken, 'status.json')).toContain('"completed"')
    expect(await objectOf(broken, step)).toContain(broken)
    expect(await listProjectionFaults(h.kit)).toEqual([])
    expect(await auditOf()).toMatchObject({ status: 'healthy', message: null })
    expect((await eventsOf(broken)).at(-1)).toBe('projection.recovered')
  })

  it('knows nothing to retry of a run that is not set aside', async () => {
    expect(await retry(sound)).toMatchObject({ ok: false, refusal: { code: 'NOT_FOUND' } })
  })

  it('ends when the very objects of its faults cannot be written', async () => {
    const now = new Date().toISOString().slice(0, 10).replaceAll('-', '')
    const blocked = await openDirectoryStore(await mkdtemp(path.join(folder, 'blocked-')))
    await blocked.create(`audit/${now}`, bytes({}))
    await recordEvent(h.kit.db, { name: 'auth.login', actor: OWNER, resource: { type: 'session', id: 's' } })
    const faults = async () => {
      await project(blocked)
      const { rows } = await h.kit.db.query<{ n: number }>(
        sql`SELECT count(*) AS n FROM event WHERE name = 'projection.failed' AND resource_id LIKE 'audit:%'`,
      )
      return rows[0]?.n ?? 0
    }
    const first = await faults()
    expect(first).toBeGreaterThan(0)
    expect([await faults(), await faults()]).toEqual([first, first])
  })
})

/** RFC 8785 for what a run holds: integers, strings, and keys in the order of their code units. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((n) => `${JSON.stringify(n)}:${canonical((value as Record<string, unknown>)[n])}`).join(',')}}`
}
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a projector that stops', () => {
  it('writes what was sealed meanwhile, and leaves its place to the next', async () => {
    await ask(h.kit, 'scout')
    await sealAll(h.kit.db)
    await projectorLoop({ db: h.kit.db, store }, 'test').stop()
    const { rows } = await h.kit.db.query<{ seq: number; lease_holder: string | null; sealed: number }>(
      sql`SELECT c.seq::int, c.lease_holder, (SELECT max(seq)::int FROM event_seal) AS sealed FROM consumer c WHERE name = 'projector'`,
    )
    expect(rows).toEqual([{ seq: rows[0]?.sealed, lease_holder: null, sealed: expect.any(Number) }])
  })

  it('leaves its place as well when the store does not answer', async () => {
    await ask(h.kit, 'scout')
    await sealAll(h.kit.db)
    const down = { ...store, createMany: () => Promise.reject(new StorageUnavailable('down')) }
    await expect(projectorLoop({ db: h.kit.db, store: down }, 'test').stop()).rejects.toThrow('down')
    const { rows } = await h.kit.db.query(sql`SELECT lease_holder FROM consumer WHERE name = 'projector'`)
    expect(rows).toEqual([{ lease_holder: null }])
    await projectorLoop({ db: h.kit.db, store }, 'test').stop()
  })
})

describe('digests of a stored run', () => {
  it('are those of the stored bytes', async () => {
    const manifest = (await objectOf(sound, 'manifest.json')) ?? ''
    const names = (await keysBelow(`${runFolder('scout', sound)}/steps/`)).map((k) => k.split('/').at(-1))
    const steps = await Promise.all(
      names.map(async (name) => JSON.parse((await objectOf(sound, `steps/${name}`)) ?? '{}')),
    )
    expect(steps).toHaveLength(4)
    let previous: string | null = null
    for (const step of steps) {
      expect(step.output_digest).toBe(sha(canonical(step.output)))
      const input = { run_id: sound, agent: 'scout', step: step.step, previous }
      const given = step.step === 1 ? { ...input, params: await paramsOf(sound) } : input
      expect(step.input_digest).toBe(sha(canonical(given)))
      previous = step.output_digest
    }
    expect(steps[3].output.manifest_sha256).toBe(sha(manifest))
    for (const name of names) {
      const text = (await objectOf(sound, `steps/${name}`)) ?? ''
      expect(text).toBe(canonical(JSON.parse(text)))
    }
  })
})

async function paramsOf(runId: string): Promise<unknown> {
  const { rows } = await h.kit.db.query<{ params: unknown }>(
    sql`SELECT params FROM run WHERE run_id = ${runId}`,
  )
  return rows[0]?.params
}
