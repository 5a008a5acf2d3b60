/**
 * What a vitest run needs before its first test: the database client, one PostgreSQL server (see test-postgres.ts), an offer
 * of one S3 server (see test-s3-server.ts), and a folder for what tests put down, in memory where the machine has enough of it.
 */
import fs from 'node:fs'
import { generateClient } from '../generate.mjs'
import { openMemory } from './memory-folder.ts'
import { startTestPostgres } from './test-postgres.ts'
import { offerTestS3Server } from './test-s3-server.ts'

export default async function setup(): Promise<() => Promise<void>> {
  await generateClient()
  const folder = openMemory()
  // The processes of the tests inherit it.
  if (folder) process.env.TMPDIR = folder
  const server = await startTestPostgres()
  const s3 = await offerTestS3Server()
  return async () => {
    await s3.stop()
    await server.stop()
    if (folder) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
