import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** A `claude-mem.db` for tests, made by SQLite itself. */
export type MemoryFile = {
  rows?: number
  /** First number of the rows, so that two files can share some (1). */
  from?: number
  /** 13.x has the column, 10.x does not (true). */
  hashed?: boolean
  /** Full-text index with its triggers (true). */
  fullText?: boolean
  /** Number of tables, filled up with empty ones; at least what claude-mem always has. */
  tables?: number
  wal?: boolean
}

const ALWAYS = `
  CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, memory_session_id TEXT UNIQUE, project TEXT);
  CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, request TEXT);
  CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT);
  CREATE TABLE pending_messages (id INTEGER PRIMARY KEY, status TEXT);
  CREATE TABLE schema_versions (version INTEGER UNIQUE, applied_at TEXT);
  INSERT INTO session_summaries (memory_session_id, request) VALUES ('s1', 'r');
  INSERT INTO user_prompts (prompt_text) VALUES ('p1'), ('p2');`

const FULL_TEXT = `
  CREATE VIRTUAL TABLE observations_fts USING fts5(title, narrative, content='observations', content_rowid='id');
  CREATE TRIGGER observations_ai AFTER INSERT ON observations BEGIN
    INSERT INTO observations_fts(rowid, title, narrative) VALUES (new.id, new.title, new.narrative); END;`

/** What was made before, by what was asked for: the same is written again without SQLite. */
const made = new Map<string, Buffer>()

/** Makes the file and closes it. */
export function makeMemoryFile(path: string, options: MemoryFile = {}): string {
  const kind = JSON.stringify(options)
  const before = made.get(kind)
  if (before) fs.writeFileSync(path, before, { flag: 'wx' })
  else made.set(kind, fs.readFileSync(buildMemoryFile(path, options)))
  return path
}

function buildMemoryFile(path: string, options: MemoryFile): string {
  const { rows = 3, from = 1, hashed = true, fullText = true, tables = 0, wal = true } = options
  const database = new DatabaseSync(path)
  if (wal) database.exec('PRAGMA journal_mode = WAL')
  const hash = hashed ? ', content_hash TEXT' : ''
  database.exec(`CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT, project TEXT,
    type TEXT, title TEXT, narrative TEXT, created_at TEXT, created_at_epoch INTEGER${hash});${ALWAYS}`)
  if (fullText) database.exec(FULL_TEXT)
  const present = Number(
    database.prepare("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'").get()?.n,
  )
  for (let n = present; n < tables; n++) database.exec(`CREATE TABLE extra_${n} (id INTEGER PRIMARY KEY)`)
  addObservations(database, from, rows)
  database.close()
  return path
}

/** Inserts rows numbered from `from`; a number stands for one observation, wherever it is inserted. */
export function addObservations(database: DatabaseSync, from: number, rows: number): void {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all('observations')
  const hashed = columns.some((row) => row.name === 'content_hash')
  const insert = database.prepare(
    `INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at_epoch${hashed ? ', content_hash' : ''})
     VALUES (?, 'garden', 'discovery', ?, ?, ?${hashed ? ', ?' : ''})`,
  )
  database.exec('BEGIN')
  for (let n = from; n < from + rows; n++) {
    const values = [`session-${n % 7}`, `title ${n}`, `narrative ${n} `.repeat(20), 1_700_000_000_000 + n]
    insert.run(...values, ...(hashed ? [`hash-${n}`] : []))
  }
  database.exec('COMMIT')
}

/** Runs statements on a file and closes it again. */
export function change(path: string, statements: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec(statements)
  } finally {
    database.close()
  }
}

/** The numbers of the observations in a file, as SQLite shows them (with what lies in its WAL). */
export function titlesOf(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database
      .prepare('SELECT title FROM observations ORDER BY id')
      .all()
      .map((row) => String(row.title))
  } finally {
    database.close()
  }
}

/** A WAL that SQLite would replay: of a database with other rows, taken while it was open. */
export function walOf(file: string): Buffer {
  makeMemoryFile(file, { rows: 1, from: 500 })
  const open = new DatabaseSync(file)
  addObservations(open, 501, 50)
  const wal = fs.readFileSync(`${file}-wal`)
  open.close()
  return wal
}
