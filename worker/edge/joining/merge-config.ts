import {
  assignmentLine,
  isFolderStore,
  JOIN_NAMES,
  JOIN_TEXT_BEGIN,
  JOIN_TEXT_END,
  STORE_KEYS,
} from '#domain/membridge/join-text.rules.ts'
import { assignedName, configLines } from '../config/config-file.ts'
import type { JoinedValues } from './read-join-text.ts'

/** The lines by which `membridge join` knows its own block again; the keys in it are no longer shown anywhere. */
const HEADING = '# Written by `membridge join`.'
const DATABASE = 'CLAUDE_MEM_DB'
const OWN_LINES: readonly string[] = [HEADING, JOIN_TEXT_BEGIN, JOIN_TEXT_END]

/**
 * `config.env` with these values on top and, below them, all that stood there before and that they do not name: other
 * variables, comments, and lines that nobody understands, as they were; `database` is added where no line names one [edge#joining].
 */
export function mergeConfig(before: string, values: JoinedValues, database: string): string {
  const toType: readonly string[] = isFolderStore(values.MINIO_ENDPOINT ?? '') ? [] : STORE_KEYS
  const names = JOIN_NAMES.filter((name) => values[name] !== undefined || toType.includes(name))
  const own = [HEADING, ...names.map((name) => assignmentLine(name, values[name] ?? ''))]
  const kept = configLines(before).filter((line) => {
    const name = assignedName(line)
    return name === null ? !OWN_LINES.includes(line) : !names.some((own) => own === name)
  })
  if (!kept.some((line) => assignedName(line) === DATABASE)) kept.unshift(assignmentLine(DATABASE, database))
  return `${own.join('\n')}\n\n${kept.join('\n').replace(/^\n+|\n+$/g, '')}\n`
}
