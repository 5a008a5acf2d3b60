import fs from 'node:fs'
import type { ReplaceRequest } from '../sqlite/replace-database.ts'
import { takeSnapshot } from '../sqlite/snapshot.ts'
import { examineCopy } from '../sqlite/verify-database.ts'
import type { NodeHome } from './home-folder.ts'
import { type MemoryFile, makeMemoryFile } from './memory-file.ts'

/** What a pull has in hand after its step 4: the node's database, and the fetched copy of another node's beside it. */
export async function makePull(
  node: NodeHome,
  { local, remote }: { local: MemoryFile | null; remote: MemoryFile },
): Promise<ReplaceRequest> {
  fs.mkdirSync(node.path('memory'), { recursive: true })
  const database = node.path('memory', 'claude-mem.db')
  if (local) makeMemoryFile(database, local)
  return { ...(await fetchCopy(node, remote)), database }
}

/** Fetches a new copy into the database's folder. */
export async function fetchCopy(node: NodeHome, remote: MemoryFile): Promise<ReplaceRequest> {
  fs.rmSync(node.path('other.db'), { force: true })
  const { path: pushed } = await takeSnapshot(makeMemoryFile(node.path('other.db'), remote), {
    maxBytes: 2 ** 31,
  })
  const path = node.path('memory', '.membridge-1-fetch-00000000.db')
  fs.renameSync(pushed, path)
  return {
    database: node.path('memory', 'claude-mem.db'),
    remote: { ...(await examineCopy(path)), path },
    backup: {
      root: node.path('backups'),
      at: new Date('2026-03-04T05:06:07Z'),
      hostname: 'test-node',
      reason: 'pull',
      chroma: node.path('memory', 'vector-db', 'chroma.sqlite3'),
    },
    acceptedLoss: 0,
  }
}
