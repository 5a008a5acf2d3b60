/**
 * Names inside SQL text that no compiler sees: every table and column in a `sql` template must stand in the Prisma schema, and no state is
 * written as text (`states(jobMachine, 'FAILED')` writes it, from the machine's table).
 *
 * A template is read in pieces, so this is a check of names and not of grammar: what the tests run proves the rest. A column under an alias
 * of a table in the same template must be a column of that table; any other name must be a column, a table, a name that SQL of the same
 * folder introduces (`AS x`, a CTE, an alias), a keyword, or a function.
 *
 * Usage: `node server/launch/sql-names.mjs`; prints each fault as file:line and exits 1.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from '@swc/core'
import { print } from './progress.mjs'

const ROOT = path.resolve(fileURLToPath(import.meta.url), '../../..')
const SOURCES = /^(server|worker|prisma\/seed|e2e)\/(?!.*(\.test\.ts$|\/testing\/)).*\.ts$/

const KEYWORDS = new Set(
  `all and any array as asc at between both bigint boolean by bytea case cast check coalesce collate columns conflict constraint constraints
  count cross current current_date current_timestamp cycle date default deferred deferrable delete desc distinct do double else empty end
  epoch exists extract false fetch filter first following for from full group grouping having if ilike immediate in initially inner insert int integer
  intersect interval into is isnull join json jsonb key last lateral leading left like limit local locked lock match materialized
  nothing not notnull null nulls numeric of off offset on only or order ordinality out outer over overlaps partition
  preceding precision primary range real recursive references restrict returning right row rows savepoint search select set
  share similar skip smallint some symmetric table tables text then time timestamp timestamptz to trailing true truncate unbounded union unique unknown update
  uuid using values varchar view when where window with within without work zone int4 int8 bool explain analyze buffers format alter create drop
  index trigger function role grant user exclusive mode begin commit rollback raise excluded microseconds milliseconds day hour minute second
  include no database session transaction isolation level read write serializable repeatable committed vacuum inherits temporary temp cascade`.split(
    /\s+/,
  ),
)

/** Relations and columns of PostgreSQL itself, and of the migrations' own book, that our statements read. */
const SYSTEM =
  /^(pg_\w+|information_schema|_prisma_migrations|migration_name|rolled_back_at|xmin|xmax|ctid|oid|rolname|rolsuper|rolcanlogin|rolcreaterole|rolcreatedb|relname|relowner|current_user|reltuples|nspname|datname|application_name|backend_type|pid|n_live_tup|table_name|table_schema|table_type|column_name|query|state|usename|public|session_replication_role|replica)$/

/** `{ tables: Map<table, Set<column>> }` of a Prisma schema's text. */
export function readSchema(text) {
  const tables = new Map()
  const models = new Set([...text.matchAll(/^model (\w+) \{/gm)].map(([, model]) => model))
  for (const [, model, body] of text.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)) {
    const name = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model
    // A field of another model's type is a relation, not a column.
    const columns = [...body.matchAll(/^\s+(\w+)\s+(\w+)/gm)].flatMap(([, column, type]) =>
      models.has(type) ? [] : [column],
    )
    tables.set(name, new Set(columns))
  }
  return tables
}

/** The templates of a file: `{ text, line, machines }` with `$` in the place of every `${…}`. */
export function sqlTemplates(source) {
  const module = parseSync(source, { syntax: 'typescript' })
  const start = module.span.start
  const found = []
  const machines = new Set()
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (!node || typeof node !== 'object') return
    if (node.type === 'TaggedTemplateExpression' && node.tag.value === 'sql') {
      const quasis = node.template.quasis
      found.push({
        text: quasis.map((q) => q.raw).join(' $ '),
        line: source.slice(0, Math.max(0, node.span.start - start)).split('\n').length,
      })
    }
    if (
      node.type === 'KeyValueProperty' &&
      node.key.value === 'machine' &&
      node.value.type === 'StringLiteral'
    )
      machines.add(node.value.value)
    for (const value of Object.values(node)) visit(value)
  }
  visit(module.body)
  return { templates: found, machines }
}

const WORD = /[a-z_][a-z0-9_]*/iy

/** `[{ word, before, after, cast }]`: the names of a text without literals and comments. */
function wordsOf(text) {
  const clean = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/(?:\bE)?'(?:[^']|'')*'/g, ' \u0001 ')
    .replace(/"[^"]*"/g, ' \u0001 ')
    .replace(/\b\d[\w.]*/g, ' \u0002 ')
  const words = []
  for (let at = 0; at < clean.length; ) {
    WORD.lastIndex = at
    const match = WORD.exec(clean)
    if (!match) {
      at++
      continue
    }
    words.push({
      word: match[0],
      before: clean.slice(0, at).trimEnd(),
      after: clean.slice(at + match[0].length).trimStart(),
    })
    at += match[0].length
  }
  return words
}

const keyword = (word) => KEYWORDS.has(word.toLowerCase())
const lastWord = (text) => /([a-z_][a-z0-9_]*)$/i.exec(text)?.[1] ?? ''

/** Names that a text introduces, and which of them are aliases of tables. */
export function declarations(text, tables) {
  const names = new Set()
  const aliases = new Map()
  for (const { word, before, after } of wordsOf(text)) {
    if (keyword(word)) continue
    const previous = lastWord(before)
    const introduced =
      /\bas$/i.test(before) || // expr AS x
      /^\(?[^()]*\)?\s*as\s+(not\s+)?(materialized\s*)?\(/i.test(after) || // WITH x AS (
      (/\)$/.test(before) && !after.startsWith('(')) || // (SELECT …) x
      (/(\bfrom|\bjoin|\bupdate|\binto|,)\s+(\$|[a-z_]\w*)$/i.test(before) &&
        !after.startsWith('.') &&
        !keyword(previous)) // FROM moved x
    if (introduced) {
      names.add(word)
      const list = /^\(([^()]*)\)/.exec(after)?.[1] // AS x(a, b)
      for (const column of list?.matchAll(/[a-z_][a-z0-9_]*/gi) ?? []) names.add(column[0])
    }
    if (tables.has(previous) && !keyword(word) && !before.endsWith('.')) aliases.set(word, previous)
    if (/\bas$/i.test(before) && tables.has(lastWord(before.replace(/\s+as$/i, ''))))
      aliases.set(word, lastWord(before.replace(/\s+as$/i, '')))
  }
  return { names, aliases }
}

/** The faults of one file: `[{ line, message }]`. `known` are the names that SQL of its folder introduces. */
export function checkSql(source, { tables, known, states }) {
  const { templates, machines } = sqlTemplates(source)
  const columns = new Set([...tables.values()].flatMap((set) => [...set]))
  const machine = machines.size === 1 ? [...machines][0] : undefined
  const faults = []
  for (const { text, line } of templates) {
    const { names, aliases } = declarations(text, tables)
    const fault = (message) => faults.push({ line, message })
    for (const { word, before, after } of wordsOf(text)) {
      if (
        keyword(word) ||
        after.startsWith('(') ||
        after.startsWith('=>') ||
        /::\s*$/.test(before) ||
        SYSTEM.test(word)
      )
        continue
      if (after.startsWith('.')) continue // a qualifier
      const qualifier = before.endsWith('.') ? lastWord(before.slice(0, -1)) : ''
      const table = aliases.get(qualifier) ?? (tables.has(qualifier) ? qualifier : undefined)
      if (table) {
        if (!tables.get(table).has(word)) fault(`${qualifier}.${word}: the table ${table} has no such column`)
        continue
      }
      if (['o', 't', 'm'].includes(qualifier) && !names.has(qualifier) && tables.has(machine)) {
        if (!tables.get(machine).has(word) && !known.has(word))
          fault(`${qualifier}.${word}: ${machine} has no such column`)
        continue
      }
      if (columns.has(word) || tables.has(word) || known.has(word) || aliases.has(word)) continue
      fault(`${word}: neither a table nor a column, nor introduced by this folder's SQL`)
    }
    for (const message of stateFaults(text, states)) fault(message)
  }
  return faults
}

const COMPARED = /\b(?:from_|to_)?status\s*(?:=|<>|!=|(?:NOT\s+)?IN\s*\()\s*'(\w+)'/gi
const ANY_LITERAL = /(?:=|<>|!=|\bIN\s*\(|\bTHEN|\bELSE|,)\s*'([A-Za-z_]+)'/g

function stateFaults(text, states) {
  const faults = new Set()
  for (const [, name] of text.matchAll(COMPARED)) faults.add(name)
  for (const [, name] of text.matchAll(ANY_LITERAL))
    if (states.has(name) && name === name.toUpperCase()) faults.add(name)
  return [...faults].map((name) => `'${name}': a state as text; write state(machine, '${name}')`)
}

async function main() {
  const machines = await import(pathToFileURL(path.join(ROOT, 'src/domain/machines.ts')).href)
  const states = new Set(machines.MACHINES.flatMap((machine) => machine.states))
  const schema = fs
    .readdirSync(path.join(ROOT, 'prisma/schema'))
    .map((file) => fs.readFileSync(path.join(ROOT, 'prisma/schema', file), 'utf8'))
  const tables = readSchema(schema.join('\n'))
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => SOURCES.test(file) && fs.existsSync(path.join(ROOT, file)))
    .map((file) => ({ file, source: fs.readFileSync(path.join(ROOT, file), 'utf8') }))
    .filter(({ source }) => source.includes('sql`'))
  const known = new Map()
  for (const { file, source } of files) {
    const folder = file.split('/').slice(0, 2).join('/')
    const names = known.get(folder) ?? new Set()
    for (const { text } of sqlTemplates(source).templates) {
      const found = declarations(text, tables)
      for (const name of found.names) names.add(name)
    }
    known.set(folder, names)
  }
  let count = 0
  for (const { file, source } of files) {
    for (const { line, message } of checkSql(source, {
      tables,
      states,
      known: known.get(file.split('/').slice(0, 2).join('/')),
    })) {
      count++
      print(`${file}:${line}: ${message}\n`)
    }
  }
  print(`${files.length} files with SQL, ${count} fault(s)\n`)
  process.exit(count === 0 ? 0 : 1)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
