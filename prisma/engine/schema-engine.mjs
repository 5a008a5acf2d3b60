#!/usr/bin/env node
/**
 * A schema engine for the Prisma command line, from the package registry alone.
 *
 * The command line talks JSON-RPC, one message a line, to a native program it would have to download. This file takes
 * that program's place: requests are answered by `@prisma/schema-engine-wasm` over `@prisma/adapter-pg`. It also
 * answers the three `cli` sub-commands (can-connect-to-database, create-database, drop-database).
 *
 * How it fails: an error of the engine becomes a JSON-RPC error with the engine's own code; an error of a `cli`
 * sub-command is one JSON log line on stderr and exit code 1, which is the form the command line reads.
 */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import readline from 'node:readline'
import { PrismaPg } from '@prisma/adapter-pg'
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils'
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'

/** PostgreSQL's internal "char" type and the blank-padded character type it is reported as. */
const OID_CHAR = 18
const OID_BPCHAR = 1042
/** Where the engine is asked for a plan without any database. */
const NO_DATABASE = 'postgresql://localhost:1/none'

function readArguments(argv) {
  const options = { schemas: [], datasource: {}, command: null, version: false }
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === '--datamodels') options.schemas.push(argv[++i])
    else if (argv[i] === '--datasource') options.datasource = JSON.parse(argv[++i])
    else if (argv[i] === 'cli') options.command = argv[++i]
    else if (argv[i] === '--version') options.version = true
    else if (argv[i].startsWith('--')) i++
  }
  return options
}

/** Prisma names the schema in the address; the driver does not know that parameter. */
function splitSchema(address) {
  const url = new URL(address)
  const schema = url.searchParams.get('schema') ?? undefined
  url.searchParams.delete('schema')
  return { url: url.toString(), schema }
}

async function onServer(address, statementFor) {
  const url = new URL(splitSchema(address).url)
  const database = decodeURIComponent(url.pathname.slice(1))
  url.pathname = '/postgres'
  await withClient(url.toString(), (client) => client.query(statementFor(client.escapeIdentifier(database))))
  return database
}

async function withClient(connectionString, work) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

async function runCommand(command, datasource) {
  if (command === 'can-connect-to-database')
    return withClient(splitSchema(datasource.url).url, async () => {})
  if (command === 'create-database') return onServer(datasource.url, (name) => `CREATE DATABASE ${name}`)
  if (command === 'drop-database') return onServer(datasource.url, (name) => `DROP DATABASE ${name}`)
  throw new Error(`unknown sub-command ${command}`)
}

function reportCommandError(error) {
  const code = { '3D000': 'P1003', '28P01': 'P1000' }[error.code] ?? 'P1001'
  const fields = { message: String(error.message || error), error_code: code, is_panic: false }
  process.stderr.write(`\n${JSON.stringify({ level: 'ERROR', target: 'schema_engine::logger', fields })}\n`)
}

/** The adapter cannot map "char", which the engine's catalog queries return: report those columns as Character. */
function withCharColumns(connection) {
  const queryRaw = connection.queryRaw
  connection.queryRaw = async (query) => {
    const charColumns = []
    const reader = Object.create(connection)
    reader.performIO = async (...input) => {
      const answer = await connection.performIO(...input)
      answer.fields?.forEach((field, index) => {
        if (field.dataTypeID !== OID_CHAR) return
        field.dataTypeID = OID_BPCHAR
        charColumns.push(index)
      })
      return answer
    }
    const result = await queryRaw.call(reader, query)
    for (const index of charColumns) result.columnTypes[index] = ColumnTypeEnum.Character
    return result
  }
  return connection
}

async function emptySchema(url) {
  await withClient(url, (client) =>
    client.query('DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public'),
  )
}

function createAdapterFactory(datasource) {
  const main = splitSchema(datasource.url || NO_DATABASE)
  const factory = new PrismaPg({ connectionString: main.url }, { schema: main.schema })
  const connect = factory.connect.bind(factory)
  const connectToShadow = factory.connectToShadowDb.bind(factory)
  factory.connect = async () => withCharColumns(await connect())
  factory.connectToShadowDb = async () => {
    if (!datasource.shadowDatabaseUrl) return withCharColumns(await connectToShadow())
    const shadow = splitSchema(datasource.shadowDatabaseUrl)
    await emptySchema(shadow.url)
    const shadowFactory = new PrismaPg({ connectionString: shadow.url }, { schema: shadow.schema })
    return withCharColumns(await shadowFactory.connect())
  }
  return bindMigrationAwareSqlAdapterFactory(factory)
}

async function loadWebAssembly(onPanic) {
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm')
  const bytes = fs.readFileSync(entry.replace(/schema_engine\.js$/, 'schema_engine_bg.wasm'))
  const { instance } = await WebAssembly.instantiate(bytes, { './schema_engine_bg.js': glue })
  glue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: onPanic }
}

function createEngine({ schemas, datasource }) {
  const datamodels = schemas.length ? schemas.map((file) => [file, fs.readFileSync(file, 'utf8')]) : undefined
  return glue.SchemaEngine.new({ datamodels }, () => {}, createAdapterFactory(datasource))
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

async function answer(request, options, state) {
  if (request.method === 'createDatabase') {
    const url = request.params?.datasource?.url ?? options.datasource.url
    return { databaseName: await onServer(url, (name) => `CREATE DATABASE ${name}`) }
  }
  state.engine ??= await createEngine(options)
  const method = request.method === 'getDatabaseVersion' ? 'version' : request.method
  const result = await state.engine[method](request.params)
  if (request.method === 'diff' && result?.stdout != null) {
    // The native engine prints through a call of its own to the command line instead of in its answer.
    send({ id: 900_000 + request.id, method: 'print', params: { content: result.stdout } })
    result.stdout = null
  }
  return result ?? {}
}

function errorMessage(error, state) {
  const data = {
    is_panic: false,
    message: String(error?.message ?? state.panic ?? error),
    meta: error?.meta ?? null,
    error_code: error?.code ?? null,
  }
  return { code: 4466, message: 'An error happened. Check the data field for details.', data }
}

async function serve(options) {
  const state = { engine: null, panic: null }
  await loadWebAssembly((message) => {
    state.panic = message
  })
  process.on('uncaughtException', (error) => {
    reportCommandError(new Error(`schema engine panic: ${state.panic ?? error.stack}`))
    process.exit(1)
  })
  // One request at a time and in order, as the native engine answers.
  let last = Promise.resolve()
  const lines = readline.createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => {
    const request = JSON.parse(line)
    if (!request.method) return
    last = last
      .then(() => answer(request, options, state))
      .then((result) => send({ id: request.id, result }))
      .catch((error) => send({ id: request.id, error: errorMessage(error, state) }))
  })
  lines.on('close', () => last.finally(() => process.exit(0)))
}

const options = readArguments(process.argv.slice(2))
if (options.version) {
  process.stdout.write('schema-engine-cli wasm\n')
} else if (options.command) {
  try {
    await runCommand(options.command, options.datasource)
  } catch (error) {
    reportCommandError(error)
    process.exitCode = 1
  }
} else {
  await serve(options)
}
