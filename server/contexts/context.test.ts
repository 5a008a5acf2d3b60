import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contextSnapshot } from '#contracts/research.contract.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { addAgent, openRoom, type Room } from '#server/jobs/testing/queue-room.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { createAssembler } from './job-context.ts'
import { serveContext } from './serve-context.ts'
import { ADDRESS_SECONDS, signContextPath } from './signed-address.ts'

const KEY = 'k'.repeat(43)
const PERSON = { name: 'Gardener', email: 'gardener@example.org' }
const NOW = new Date('2026-11-21T12:00:00Z')
let room: Room
let store: ObjectStore
let garden: GitRepository
let folder: string

beforeAll(async () => {
  room = await openRoom()
  folder = await mkdtemp(path.join(tmpdir(), 'contexts-'))
  store = await openDirectoryStore(path.join(folder, 'objects'))
  const gitdir = path.join(folder, 'garden.git')
  const extraFiles = [
    { path: 'notes/beds.md', content: '# Beds\n\nCarrots grow in the north bed.\n' },
    {
      path: 'notes/leases.md',
      content: '# Оренда\n\nТермін оренди лідерства минув, і вузол більше не головний.\n',
    },
    { path: 'notes/plain.txt', content: 'carrots carrots carrots' },
  ]
  await importGarden(await mkdtemp(path.join(folder, 'empty-')), gitdir, { author: PERSON, extraFiles })
  garden = await openGitRepository(gitdir)
  await addAgent(room.db, 'librarian')
})
afterAll(async () => {
  await room?.close()
  await rm(folder, { recursive: true, force: true })
})

async function plant(files: Record<string, string>): Promise<void> {
  const parent = await garden.head()
  const changes = Object.entries(files).map(([file, content]) => ({ path: file, content }))
  const commit = await garden.commit({ parent, changes, message: 'Notes', author: PERSON, committer: PERSON })
  expect(await garden.updateBranch(parent, commit)).toBe(true)
}
const assemble = (payload: Record<string, unknown>) =>
  createAssembler({ db: room.db, store, garden })({ agent_slug: 'librarian', payload })
const read = async (key: string) =>
  contextSnapshot.parse(JSON.parse(Buffer.from((await store.get(key))?.bytes ?? []).toString('utf8')))

describe('a context snapshot', () => {
  it('holds the notes nearest to the question, at one commit, and the agent', async () => {
    const { key } = await assemble({ query: 'Where do carrots grow?' })
    const snapshot = await read(key)
    expect(snapshot.fragments.map((f) => f.ref)).toEqual(['notes/beds.md'])
    expect(snapshot.fragments[0]).toMatchObject({ revision: await garden.head() })
    expect(snapshot.definition).toEqual({ slug: 'librarian', version: '1', model: 'extractive' })
  })

  it('is the same object for the same question, and another after a commit', async () => {
    const query = 'Що відбувається, коли термін оренди лідерства минув?'
    const [one, two] = [await assemble({ query }), await assemble({ query })]
    expect(two).toEqual(one)
    await plant({ 'notes/more.md': '# More\n\nПісля терміну оренди обирають нового головного.\n' })
    const three = await assemble({ query })
    expect(three.sha256).not.toBe(one.sha256)
    expect((await read(three.key)).fragments.map((f) => f.ref).sort()).toEqual([
      'notes/leases.md',
      'notes/more.md',
    ])
  })

  it('takes named notes whole as sources, once, and leaves out what does not exist', async () => {
    const sources = [{ ref: 'notes/beds.md' }, { ref: 'notes/nothing.md' }]
    const snapshot = await read((await assemble({ query: 'carrots', sources })).key)
    expect(snapshot.sources.map((s) => s.ref)).toEqual(['notes/beds.md'])
    expect(snapshot.fragments.map((f) => f.ref)).not.toContain('notes/beds.md')
  })

  it('takes the agent’s own sources where none are named', async () => {
    await plant({
      'agents/librarian/sources/facts.md': 'Carrots like sand.\n',
      'agents/other/sources/x.md': 'x\n',
    })
    const own = ['agents/librarian/sources/facts.md']
    expect((await read((await assemble({ query: 'carrots' })).key)).sources.map((s) => s.ref)).toEqual(own)
    const named = await read((await assemble({ query: 'carrots', sources: [{ ref: 'notes/beds.md' }] })).key)
    expect(named.sources.map((s) => s.ref)).toEqual(['notes/beds.md'])
  })
})

describe('its address', () => {
  const parts = () => ({ store, env: { BLOOM_JOB_TOKEN_KEY: KEY } })
  const parse = (address: string) => {
    const url = new URL(address, 'http://x')
    return {
      sha256: url.pathname.slice('/contexts/'.length, -'.json'.length),
      expires: Number(url.searchParams.get('expires')),
      signature: url.searchParams.get('signature') ?? '',
    }
  }

  it('gives the very bytes for fifteen minutes and no longer', async () => {
    const { key, sha256 } = await assemble({ query: 'carrots' })
    const address = parse(await signContextPath(KEY, sha256, NOW))
    const served = await serveContext(parts(), address, NOW)
    expect(served).toEqual({ ok: true, value: (await store.get(key))?.bytes })
    const later = new Date(NOW.getTime() + ADDRESS_SECONDS * 1000)
    expect(await serveContext(parts(), address, later)).toMatchObject({ refusal: { code: 'FORBIDDEN' } })
  })

  it('is good for nothing else', async () => {
    const { sha256 } = await assemble({ query: 'carrots' })
    const good = parse(await signContextPath(KEY, sha256, NOW))
    const other = 'a'.repeat(64)
    const bad = [
      { ...good, sha256: other },
      { ...good, expires: good.expires + 60 },
      { ...good, signature: '' },
      parse(await signContextPath('o'.repeat(43), sha256, NOW)),
    ]
    for (const address of bad) {
      expect(await serveContext(parts(), address, NOW)).toMatchObject({ refusal: { code: 'FORBIDDEN' } })
    }
    expect(await serveContext(parts(), parse(await signContextPath(KEY, other, NOW)), NOW)).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
    expect(await serveContext(parts(), { ...good, sha256: '../secrets' }, NOW)).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
  })
})
