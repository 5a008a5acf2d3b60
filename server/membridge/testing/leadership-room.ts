import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type SelectPrimary, selectPrimaryRequest } from '#contracts/leadership.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { createStoreConditions } from '#server/objects/store-conditions.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { promotePrimary } from '../promote-primary.ts'
import type { TestControlPlane } from './control-plane.ts'

export type Parts = Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>

/** A person with this name. */
export const operator = (name: string): Caller => ({
  role: 'operator',
  identity: `operator:${name}`,
  via: 'console',
})

/** What leadership is given, over this ledger and store. */
export const partsOf = (db: Services['db'], store: ObjectStore): Parts => ({
  db,
  store,
  storeConditions: createStoreConditions(store, () => new Date()),
  log: { warn: () => {}, error: () => {}, info: () => {} } as never,
})

export type LeadershipRoom = {
  store: ObjectStore
  parts: Parts
  /** The object as JSON; undefined when it is not there. */
  json(key: string): Promise<Record<string, unknown> | undefined>
  /** Writes an object past all conditions, as a node of today does. */
  put(key: string, text: string): Promise<void>
  promote(change?: Partial<SelectPrimary>, caller?: Caller): ReturnType<typeof promotePrimary>
  audits(): Promise<string[]>
  close(): void
}

/** Leadership of one project over a real ledger and a store of its own, a directory unless another one is given. */
export async function leadershipRoom(
  plane: Pick<TestControlPlane, 'db'>,
  cid: string,
  given?: ObjectStore,
): Promise<LeadershipRoom> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'membridge-'))
  const store = given ?? (await openDirectoryStore(folder))
  const parts = partsOf(plane.db, store)
  return {
    ...{ store, parts },
    json: async (key) => {
      const object = await store.get(key)
      return object === null ? undefined : JSON.parse(new TextDecoder().decode(object.bytes))
    },
    put: async (key, text) => {
      const etag = (await store.head(key))?.etag ?? null
      await store.replace(key, new TextEncoder().encode(text), etag, 'application/json')
    },
    promote: (change = {}, caller = operator('ann')) => {
      const request = { cid, primary_node_id: 'birch', reason: 'alder is away', ...change }
      return promotePrimary(parts, selectPrimaryRequest.parse(request), caller)
    },
    audits: async () => (await store.list(projectKeys(cid).audits)).keys,
    close: () => fs.rmSync(folder, { recursive: true, force: true }),
  }
}
