import fs from 'node:fs'
import { expect, test } from 'vitest'
import { canonicalIdOf } from '../identity.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { projectsFile, readProjects, registerProject } from './project-registry.ts'
import { readSyncState, syncStateFile, writeSyncState } from './sync-state.ts'

const NOW = new Date('2026-03-04T05:06:07Z')
const SECONDS = NOW.getTime() / 1000
const STATE = { last_synced_sha: 'a'.repeat(64), content_sha256: 'b'.repeat(64), term: 2, at: SECONDS }
const GARDEN = { project_id: 'garden-seedling', canonical_id: canonicalIdOf('garden-seedling') }
const MEM = { project_id: 'mem', canonical_id: canonicalIdOf('mem') }

test('canonical ids are those that every node computes', () => {
  expect([GARDEN.canonical_id, MEM.canonical_id]).toEqual(['aeeafec3a5b5710f', '6fe2e0f6071ac2bb'])
})

test('what was synced is kept for this account alone, and read again', async () => {
  const { host, path } = makeNodeHome()
  expect(await readSyncState(host, 'abc')).toEqual({ state: 'absent' })
  expect(await writeSyncState(host, 'abc', STATE)).toBeNull()
  expect(await readSyncState(host, 'abc')).toEqual({ state: 'read', value: STATE })
  expect(fs.statSync(path('.membridge/state/abc.json')).mode & 0o777).toBe(0o600)
  expect(fs.readdirSync(path('.membridge/state'))).toEqual(['abc.json'])
})

test.each(['{', '[]', '{"last_synced_sha":"x"}', ''])(
  'a state that is %j is kept aside and not taken for absent',
  async (text) => {
    const { host, path, write } = makeNodeHome()
    write('.membridge/state/abc.json', text)
    expect(await readSyncState(host, 'abc')).toEqual({ state: 'corrupt' })
    expect(await writeSyncState(host, 'abc', STATE)).toBe(
      path('.membridge/state/abc.json.corrupt-20260304T050607000Z'),
    )
    expect(fs.readFileSync(path('.membridge/state/abc.json.corrupt-20260304T050607000Z'), 'utf8')).toBe(text)
    expect((await readSyncState(host, 'abc')).state).toBe('read')
  },
)

test('a file that cannot be read is a fault', async () => {
  const { host, path } = makeNodeHome()
  fs.mkdirSync(path('.membridge/state/abc.json'), { recursive: true })
  await expect(readSyncState(host, 'abc')).rejects.toThrow(/abc\.json cannot be read \(EISDIR\)/)
})

test.each(['', '..', '.', 'a/b', 'a\0', 'x'.repeat(65)])('%j names no file', (id) => {
  expect(() => syncStateFile({ home: '/h' }, id)).toThrow(TypeError)
})

test('a project is registered once; renewing keeps when it was made and what is not given', async () => {
  const { host, path } = makeNodeHome()
  const file = projectsFile(host, {})
  await registerProject(file, { ...GARDEN, path: '/p', notes: 'n' }, NOW)
  await registerProject(file, MEM, NOW)
  const later = new Date(NOW.getTime() + 5000)
  const { kept } = await registerProject(file, { ...GARDEN, path: '/q' }, later)
  expect(kept).toBeNull()
  const entry = { ...GARDEN, path: '/q', notes: 'n', created_at: SECONDS, last_seen: SECONDS + 5 }
  expect(JSON.parse(fs.readFileSync(path('.membridge/agent_projects.json'), 'utf8'))).toEqual({
    [GARDEN.canonical_id]: entry,
    [MEM.canonical_id]: { ...MEM, created_at: SECONDS, last_seen: SECONDS },
  })
  expect((await readProjects(file)).projects).toHaveLength(2)
})

test('another file may be named', () => {
  expect(projectsFile({ home: '/h' }, { MEMBRIDGE_PROJECTS_FILE: '/x.json' })).toBe('/x.json')
})

test('a corrupt registry is kept, reported and begun anew', async () => {
  const { host, path, write } = makeNodeHome()
  write('.membridge/agent_projects.json', '{ broken')
  const file = projectsFile(host, {})
  expect(await readProjects(file)).toEqual({ projects: [], corrupt: true })
  expect(fs.readFileSync(file, 'utf8')).toBe('{ broken')
  const { kept, projects } = await registerProject(file, MEM, NOW)
  expect(kept).toBe(path('.membridge/agent_projects.json.corrupt-20260304T050607000Z'))
  expect(fs.readFileSync(kept ?? '', 'utf8')).toBe('{ broken')
  expect(projects).toHaveLength(1)
})

test('a corrupt registry stays in its place when the new one cannot be written', async () => {
  const { host, path, write } = makeNodeHome()
  const file = write('.membridge/agent_projects.json', '{ broken')
  await expect(registerProject(file, { ...MEM, project_id: '' }, NOW)).rejects.toThrow()
  expect(fs.readFileSync(projectsFile(host, {}), 'utf8')).toBe('{ broken')
  expect(fs.readdirSync(path('.membridge')).filter((name) => name.includes('corrupt'))).toEqual([])
  fs.writeFileSync(`${file}.corrupt-20260304T050607000Z`, 'earlier')
  await expect(registerProject(file, MEM, NOW)).rejects.toThrow(/EEXIST/)
  expect(fs.readFileSync(file, 'utf8')).toBe('{ broken')
  expect(fs.readFileSync(`${file}.corrupt-20260304T050607000Z`, 'utf8')).toBe('earlier')
})

test('an entry that is not understood does not take the others with it', async () => {
  const { host, write } = makeNodeHome()
  const good = { ...GARDEN, created_at: 1, last_seen: 2, extra: 'kept' }
  const text = JSON.stringify({ [GARDEN.canonical_id]: good, x: 7, other: good })
  const file = write('.membridge/agent_projects.json', text)
  expect(await readProjects(file)).toEqual({ projects: [good], corrupt: true })
  const { kept, projects } = await registerProject(projectsFile(host, {}), MEM, NOW)
  expect(fs.readFileSync(kept ?? '', 'utf8')).toBe(text)
  expect(projects[0]).toEqual(good)
})

test('registrations at once are all there', async () => {
  const { host } = makeNodeHome()
  const file = projectsFile(host, {})
  const names = Array.from({ length: 12 }, (_, n) => `project-${n}`)
  await Promise.all(
    names.map((name) => registerProject(file, { project_id: name, canonical_id: canonicalIdOf(name) }, NOW)),
  )
  expect((await readProjects(file)).projects.map((project) => project.project_id).sort()).toEqual(
    names.sort(),
  )
})
