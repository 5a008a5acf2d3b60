/** What a vitest run needs before its first test: the database client, and one PostgreSQL server (see test-postgres.ts). */
import { generateClient } from '../generate.mjs'
import { startTestPostgres } from './test-postgres.ts'

export default async function setup(): Promise<() => Promise<void>> {
  await generateClient()
  const server = await startTestPostgres()
  return server.stop
}
