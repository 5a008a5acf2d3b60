import path from 'node:path'
import { fitsInLine, isFolderStore, STORE_KEYS } from '#domain/membridge/join-text.rules.ts'
import { parseConfigFile } from '../config/config-file.ts'
import { EdgeFault } from '../fault.ts'
import { readIfThere } from '../files/replace-file.ts'
import type { Host } from '../host.ts'
import { mergeConfig } from './merge-config.ts'
import { askStoreKeys } from './read-input.ts'
import type { JoinedValues } from './read-join-text.ts'
import type { Terminal } from './terminal.ts'
import { rewritePrivately, type Written } from './write-config.ts'

/** Where claude-mem keeps its database unless it is told otherwise. */
const DATABASE = '.claude-mem/claude-mem.db'

export type Joining = { host: Host; file: string; values: JoinedValues; terminal: Terminal | null }

/** Writes `config.env` with these values; keys of the store come from the text, from the file of before, or from the person [edge#joining]. */
export async function joinNode({ host, file, values, terminal }: Joining): Promise<Written> {
  const now = new Date()
  const before = (await readIfThere(file))?.toString('utf8') ?? ''
  const known = { ...keptKeys(before, values, host.home), ...values }
  const asked = terminal && needsKeys(known) ? await askStoreKeys(terminal) : {}
  const unfit = Object.entries(asked).find(([, key]) => !fitsInLine(key))
  if (unfit)
    throw new EdgeFault(`${unfit[0]} must be one line without control characters; nothing was written`)
  return await rewritePrivately(file, now, (text) => {
    const kept = keptKeys(text, values, host.home)
    return mergeConfig(text, { ...kept, ...values, ...asked }, path.join(host.home, DATABASE))
  })
}

const needsKeys = (values: JoinedValues): boolean =>
  !isFolderStore(values.MINIO_ENDPOINT ?? '') && STORE_KEYS.some((name) => !values[name])

/** The store's keys in the file of before, if they are for the same store: to another one they are never sent. */
function keptKeys(before: string, { MINIO_ENDPOINT }: JoinedValues, home: string): JoinedValues {
  const { values } = parseConfigFile(before, home)
  if (values.MINIO_ENDPOINT !== MINIO_ENDPOINT) return {}
  return Object.fromEntries(STORE_KEYS.flatMap((name) => (values[name] ? [[name, values[name]]] : [])))
}
