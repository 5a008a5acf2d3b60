/**
 * The text by which a person brings a node into a fleet: a `config.env` that the console shows once and `membridge join` reads from its
 * input ([edge#joining]). Whoever writes the text and whoever reads it take names, order and quoting from here.
 *
 * One assignment a line, so that a shell and the node's own reader see the same bytes, whatever they are: in single quotes, or bare where
 * nothing needs them, since tools of today take quotes for a part of the value. A line cannot hold a value with a line end or a NUL: such a value is refused, never bent. The keys of an object store that is not a folder
 * stand as empty lines: the control plane does not hand its own out, a person types the node's.
 */
export type JoinValues = {
  /** `https://…` or `http://…` of an S3 store, or `file:///folder` for nodes on the machine of the control plane. */
  MINIO_ENDPOINT: string
  MINIO_BUCKET: string
  MINIO_REGION: string
  MEMBRIDGE_SERVER_URL: string
  MEMBRIDGE_NODE_ID: string
  /** The node's own machine key, by which it speaks to the control plane. */
  MEMBRIDGE_NODE_KEY: string
  /** The key by which the control plane speaks to this node, derived for it alone. */
  MEMBRIDGE_AGENT_KEY: string
  /** The project of the node's hooks; the person adds it where the text leaves it open. */
  CLAUDE_PROJECT_ID?: string
}

export type JoinName = keyof JoinValues | (typeof STORE_KEYS)[number]

/** What a person types in, for any store that is not a folder. */
export const STORE_KEYS = ['MINIO_ACCESS_KEY', 'MINIO_SECRET_KEY'] as const

/** All that a text may assign, in the order in which it stands there. A reader refuses every other name. */
export const JOIN_NAMES = [
  'MINIO_ENDPOINT',
  'MINIO_BUCKET',
  'MINIO_REGION',
  ...STORE_KEYS,
  'MEMBRIDGE_SERVER_URL',
  'MEMBRIDGE_NODE_ID',
  'MEMBRIDGE_NODE_KEY',
  'MEMBRIDGE_AGENT_KEY',
  'CLAUDE_PROJECT_ID',
] as const satisfies readonly JoinName[]

/** What a text cannot do without: a paste that was cut short is recognised by what it lacks. */
export const JOIN_NEEDED = [
  'MINIO_ENDPOINT',
  'MEMBRIDGE_SERVER_URL',
  'MEMBRIDGE_NODE_ID',
  'MEMBRIDGE_NODE_KEY',
  'MEMBRIDGE_AGENT_KEY',
] as const satisfies readonly JoinName[]

/** First and last line. The last one ends the input at a terminal, where nothing else says that the paste is whole. */
export const JOIN_TEXT_BEGIN = '# Membridge node: paste into `membridge join`. Holds keys; shown once.'
export const JOIN_TEXT_END = '# End of node settings'

/** Whether the nodes' store is a folder, which only processes of one machine share and which asks for no keys. */
export const isFolderStore = (endpoint: string): boolean => /^file:/i.test(endpoint)

const NOT_IN_A_LINE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** Whether a value can stand in a line of `config.env` and come back as it was. */
export const fitsInLine = (value: string): boolean => !NOT_IN_A_LINE.test(value)

/** Characters that mean themselves to a shell wherever they stand in a word. */
const BARE = /^[A-Za-z0-9_./:@%+,=-]+$/

/** A word as a shell takes it, whatever it holds. */
export const shellWord = (word: string): string =>
  BARE.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`

/** An assignment, read alike by a shell and by the node. Throws `TypeError`, without the value, for one that no line can hold. */
export function assignmentLine(name: string, value: string): string {
  if (!fitsInLine(value)) throw new TypeError(`${name} must be one line without control characters`)
  return `${name}=${value === '' ? '' : shellWord(value)}`
}

/** The text for one node; ends with a line end. Throws `TypeError` for a value that no line can hold. */
export function renderJoinText(values: JoinValues): string {
  const toType: readonly string[] = isFolderStore(values.MINIO_ENDPOINT) ? [] : STORE_KEYS
  const given: Partial<Record<JoinName, string>> = values
  const lines = JOIN_NAMES.flatMap((name) => {
    const value = given[name]
    if (value !== undefined) return [assignmentLine(name, value)]
    return toType.includes(name) ? [`${name}=`] : []
  })
  return `${[JOIN_TEXT_BEGIN, ...lines, JOIN_TEXT_END].join('\n')}\n`
}
