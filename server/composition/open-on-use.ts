import { type ObjectStore, StorageUnavailable } from '#server/ports/object-store.ts'

/**
 * A store that is opened by its first use, and again by the next one after that failed: for a process that starts without it. What is asked of a
 * store that cannot be opened fails with `StorageUnavailable`; its probe finds it unfit.
 */
export function openOnUse(open: () => Promise<ObjectStore>): ObjectStore {
  let opened: Promise<ObjectStore> | null = null
  const store = () => {
    opened ??= open().catch((cause: unknown) => {
      opened = null
      throw new StorageUnavailable('The object store cannot be opened.', { cause })
    })
    return opened
  }
  return {
    create: async (...given) => (await store()).create(...given),
    createMany: async (...given) => (await store()).createMany(...given),
    replace: async (...given) => (await store()).replace(...given),
    createFrom: async (...given) => (await store()).createFrom(...given),
    replaceFrom: async (...given) => (await store()).replaceFrom(...given),
    copy: async (...given) => (await store()).copy(...given),
    get: async (...given) => (await store()).get(...given),
    read: async (...given) => (await store()).read(...given),
    open: async (...given) => (await store()).open(...given),
    observe: async (...given) => (await store()).observe(...given),
    head: async (...given) => (await store()).head(...given),
    list: async (...given) => (await store()).list(...given),
    remove: async (...given) => (await store()).remove(...given),
    probe: async () => {
      try {
        return await (await store()).probe()
      } catch {
        return { ok: false, store: 'not open', checks: [{ name: 'the store can be opened', ok: false }] }
      }
    },
  }
}
