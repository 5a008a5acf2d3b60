import { StorageUnavailable } from '#server/ports/object-store.ts'
import { EdgeFault, reasonOf } from '../fault.ts'

/** What the file system refuses for a cause that a person can put right. */
const CAUSES: Record<string, string> = {
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the disk quota is used up: free some space',
  EACCES: 'a file cannot be used: check the rights of the database and its folder',
  EPERM: 'a file cannot be used: check the rights of the database and its folder',
  EROFS: 'the file system is read-only: mount it for writing',
}

/** What a sync throws for store and disk before it has changed anything, as a line that names the next step; anything else as it is. */
export function syncFault(error: unknown, command: 'push' | 'pull'): unknown {
  const again = `run membridge ${command} again`
  if (error instanceof StorageUnavailable)
    return new EdgeFault(
      `${error.message}; nothing was changed: check MINIO_ENDPOINT and the network, and ${again}`,
      { cause: error },
    )
  const cause = CAUSES[(error as NodeJS.ErrnoException | null)?.code ?? '']
  if (error instanceof EdgeFault || cause === undefined) return error
  return new EdgeFault(`${cause}, and ${again} (${reasonOf(error)})`, { cause: error })
}
