/**
 * A process that has the database open as the worker has: `live-writer.ts <file> <mode> [number of the first row]`. Says `ready` once it does.
 *
 * `write` inserts without end, `hold` inserts one row and keeps its connection, `lock` keeps an exclusive lock, `read` keeps a read
 * transaction. It ends when its input closes.
 */
import { DatabaseSync } from 'node:sqlite'
import { addObservations } from './memory-file.ts'

const [, , file = '', mode = 'hold', from = '1000000'] = process.argv
const database = new DatabaseSync(file, { timeout: 10_000 })
let next = Number(from)

function write(): void {
  addObservations(database, next++, 1)
  setTimeout(write, 1)
}

if (mode === 'write') write()
if (mode === 'hold') addObservations(database, next, 1)
if (mode === 'lock') database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
if (mode === 'read') database.exec('BEGIN; SELECT count(*) FROM observations')
process.stdout.write('ready\n')
process.stdin.resume().on('end', () => process.exit(0))
