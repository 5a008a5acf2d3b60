import { type Database, openDatabase } from '../database.ts'

/** A statement as PostgreSQL carried it out, also inside functions and triggers. */
export type Plan = { statement: string; scans: Scan[] }

/** One scan of a table in it. */
export type Scan = {
  /** `Seq Scan`, `Index Scan`, … */
  how: string
  table: string
  index: string | null
  /** How often it began: once for each row of what it is joined to. */
  loops: number
  /** Rows that it gave, and rows that it read and left out, in all. */
  rows: number
  leftOut: number
  /** Pages that were looked at, in all. */
  pages: number
}

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops': number
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/** Sends every plan that is carried out to the client, with what its nodes read. */
const EXPLAINED = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
}

export type WatchedDatabase = Database & {
  /** What `work` returns, and all that PostgreSQL carried out for it. */
  plansOf<T>(work: () => Promise<T>): Promise<{ value: T; plans: Plan[] }>
}

/** Opens a ledger on one connection whose plans can be read; takes the server's superuser. */
export function openWatched(adminUrl: string, settings: Record<string, string> = {}): WatchedDatabase {
  const url = new URL(adminUrl)
  const options = Object.entries({ ...EXPLAINED, ...settings }).map(([name, value]) => `-c ${name}=${value}`)
  url.searchParams.set('options', options.join(' '))
  const database = openDatabase(url.toString(), { connections: 1, name: 'watched' })
  let plans: Plan[] = []
  database.pool.on('connect', (client) =>
    client.on('notice', ({ message = '' }) => {
      const at = message.indexOf('plan:\n')
      if (at >= 0) plans.push(planOf(JSON.parse(message.slice(at + 'plan:\n'.length))))
    }),
  )
  return {
    ...database,
    async plansOf(work) {
      plans = []
      const value = await work()
      return { value, plans }
    },
  }
}

const planOf = (explained: { 'Query Text': string; Plan: Node }): Plan => ({
  statement: explained['Query Text'].replace(/\s+/g, ' '),
  scans: scansIn(explained.Plan),
})

function scansIn(node: Node): Scan[] {
  const below = (node.Plans ?? []).flatMap(scansIn)
  const table = node['Relation Name']
  if (!table || !/Scan$/.test(node['Node Type'])) return below
  const loops = node['Actual Loops']
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const scan = {
    how: node['Node Type'],
    table,
    index: node['Index Name'] ?? null,
    loops,
    rows: node['Actual Rows'] * loops,
    leftOut: removed * loops,
    pages: node['Shared Hit Blocks'] + node['Shared Read Blocks'],
  }
  return [scan, ...below]
}
