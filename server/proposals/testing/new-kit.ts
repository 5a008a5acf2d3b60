import { rm } from 'node:fs/promises'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { makeGarden, openKit } from './garden-kit.ts'

/** What a file of tests gets: a new garden with its store, and a database made for it. */
export type NewKit = Awaited<ReturnType<typeof newKit>>

type Options = { notes?: Record<string, string>; holdSeconds?: number }

/** `end` closes all of it and leaves nothing behind. */
export async function newKit({ notes, holdSeconds }: Options = {}) {
  const database = await createTestDatabase()
  const kit = await openKit(await makeGarden(notes), database, holdSeconds)
  const end = async () => {
    await kit.close()
    await rm(kit.folder, { recursive: true })
    await database.drop()
  }
  return { ...kit, urls: database, end }
}
