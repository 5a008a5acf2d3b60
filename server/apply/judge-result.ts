import { resultFault } from '#server/inbox/definition-fault.ts'
import type { Db } from '#server/ledger/database.ts'
import type { ApplyError } from '#server/proposals/proposal-row.ts'
import type { FileChange } from './compute-result.ts'
import type { Engine } from './engine.ts'

/**
 * Why these files may not be committed over `head`, or null. A definition is judged once more: what was valid when it was proposed may not
 * be on the content of now (merged, forced), for the agent's state of now, or for what this installation can execute by now.
 */
export async function judgeResult(
  { garden, entryHandlers }: Pick<Engine, 'garden' | 'entryHandlers'>,
  db: Db,
  head: string,
  files: readonly FileChange[],
): Promise<ApplyError | null> {
  for (const { path, content } of files) {
    const before = (await garden.read(path, head))?.text ?? null
    const fault = await resultFault({ db, entryHandlers }, { path, before, after: content })
    if (fault) return { code: 'validation_failed', message: `${path}: ${fault.message}` }
  }
  return null
}
