/** Several workers publish at the same time; whoever comes late must not leave what is older. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { withCalls } from '#server/membridge/testing/leadership-room.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type ObjectStore, StorageUnavailable } from '#server/ports/object-store.ts'
import { makeGarden, PERSON } from '#server/proposals/testing/garden-kit.ts'
import { publishAgents } from './publish-agents.ts'

const FILE = 'agents/clerk/_agent.md'
const MARK = 'publisher/garden.json'
let garden: GitRepository
let store: ObjectStore

beforeEach(async () => {
  const folder = await makeGarden({ [FILE]: 'first\n' })
  const objects = await mkdtemp(join(tmpdir(), 'bloom-store-'))
  onTestFinished(async () => {
    for (const one of [folder, objects]) await rm(one, { recursive: true })
  })
  garden = await openGitRepository(join(folder, 'garden.git'))
  store = await openDirectoryStore(objects)
  await publishAgents({ garden, store })
})

/** Null removes the file. */
async function commit(content: string | null, path = FILE): Promise<void> {
  const parent = await garden.head()
  const people = { author: PERSON, committer: PERSON }
  const next = await garden.commit({ parent, changes: [{ path, content }], message: 'x\n', ...people })
  expect(await garden.updateBranch(parent, next)).toBe(true)
}

const textOf = async (key: string) => {
  const object = await store.get(key)
  return object ? new TextDecoder().decode(object.bytes) : null
}
const marked = async () => JSON.parse((await textOf(MARK)) ?? '{}').commit

type Step = 'head' | 'replace' | 'remove'

/** A worker before whose first such step at the file, or at `key`, another one publishes these commits. */
function overtaken(step: Step, contents: (string | null)[], key = FILE): ObjectStore {
  let left = 1
  const before =
    <A extends [string, ...unknown[]], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (args[0] === key && left-- > 0)
        for (const content of contents) {
          await commit(content)
          await publishAgents({ garden, store })
        }
      return call(...args)
    }
  return withCalls(store, {
    head: step === 'head' ? before(store.head.bind(store)) : store.head,
    replace: step === 'replace' ? before(store.replace.bind(store)) : store.replace,
    remove: step === 'remove' ? before(store.remove.bind(store)) : store.remove,
  })
}

describe('a worker that is overtaken leaves what the branch has', () => {
  test.each<[string, string | null, Step, (string | null)[], string?]>([
    ['before it looks at the object', 'second\n', 'head', ['third\n']],
    ['before it writes the object', 'second\n', 'replace', ['third\n']],
    ['before it writes over what was there before, too', 'second\n', 'replace', ['third\n', 'first\n']],
    ['before it writes what was removed', 'second\n', 'replace', [null]],
    ['before it removes what is there again', null, 'remove', ['third\n']],
    ['before it moves the mark', 'second\n', 'replace', ['third\n'], MARK],
  ])('%s', async (_, content, step, others, key) => {
    await commit(content)
    expect(await publishAgents({ garden, store: overtaken(step, others, key) })).toEqual([FILE])
    expect(await textOf(FILE)).toBe(others.at(-1) ?? null)
    expect(await marked()).toBe(await garden.head())
    expect(await publishAgents({ garden, store })).toEqual([])
  })
})

test('a publication that failed is done again by the next look', async () => {
  await commit('second\n')
  const replace = () => Promise.reject(new StorageUnavailable('no answer'))
  await expect(publishAgents({ garden, store: withCalls(store, { replace }) })).rejects.toThrow('no answer')
  expect(await publishAgents({ garden, store })).toEqual([FILE])
  expect(await textOf(FILE)).toBe('second\n')
})

test.each(['runs/run_2026-01-01_000000_abcdef/manifest.json', 'state.json'])(
  'a pushed file of the garden neither comes over nor removes the object %s of the runtime',
  async (name) => {
    const key = `agents/clerk/${name}`
    await store.create(key, new TextEncoder().encode('of the runtime'), 'application/json')
    await commit('forged\n', key)
    await commit('second\n')
    expect(await publishAgents({ garden, store })).toEqual([FILE])
    expect(await textOf(key)).toBe('of the runtime')
    await commit(null, key)
    await commit('third\n')
    expect(await publishAgents({ garden, store })).toEqual([FILE])
    expect(await textOf(key)).toBe('of the runtime')
    await store.remove(MARK)
    await commit('forged\n', key)
    expect(await publishAgents({ garden, store })).toEqual([FILE])
    expect(await textOf(key)).toBe('of the runtime')
  },
)
