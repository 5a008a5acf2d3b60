/**
 * Exports of the audit [audit#exports]: the events of a range in their order, streamed, each line with the very bytes that were hashed. The
 * last line holds the manifest (range, count, SHA-256 of all lines before it) and the newest head, both signed; an export that broke off
 * has none, and so does not verify.
 */
import { createHash, type Hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import sql from 'sql-template-tag'
import type { AuditExportInput } from '#contracts/audit.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { streamText } from '#server/exports/stream-text.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { seal } from './dsse.ts'
import { auditCsv } from './export-csv.ts'
import { headKey, signHead } from './sign-head.ts'
import { signingKeyOf } from './signing-key.ts'

const EVENTS = 1_000
export const MANIFEST_TYPE = 'application/vnd.garden-bloom.audit-export+json'

type Parts = Pick<Services, 'db' | 'store' | 'env'>
export type ExportedRow = Row<'event'> & { seq: number; prev_hash: Buffer; hash: Buffer }
type Range = { format: AuditExportInput['format']; from: number; to: number; head: number }

/** Signs the head of what is sealed by now, records the export, and gives its lines. */
export async function exportAudit(
  parts: Parts,
  input: AuditExportInput,
  caller: Caller,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const head = await signHead(parts)
  const { format, from_seq: from } = input
  const to = Math.min(input.to_seq ?? head, head)
  if (from > to)
    return refuse({
      code: 'VALIDATION_FAILED',
      message: `The range holds no event: the newest has number ${head}.`,
    })
  await recordEvent(parts.db, {
    name: 'audit.exported',
    actor: caller,
    resource: { type: 'audit', id: 'chain' },
    details: { format, from_seq: from, to_seq: to, head_seq: head },
  })
  return ok(streamText(linesOf(parts, { format, from, to, head })))
}

/** Records that the rows of a filter were taken out of the list of events ([exports]), before the first of them is sent. */
export async function recordListExport(
  { db }: Pick<Services, 'db'>,
  { format, ...filter }: { format: string } & Record<string, unknown>,
  caller: Caller,
): Promise<void> {
  await recordEvent(db, {
    name: 'audit.exported',
    actor: caller,
    resource: { type: 'audit', id: 'list' },
    details: { format, filter },
  })
}

async function* linesOf(parts: Parts, range: Range): AsyncGenerator<string> {
  const digest = createHash('sha256')
  const counted = { events: 0, last_hash: '' }
  if (range.format === 'csv') yield hashed(digest, auditCsv([], true))
  for (let after = range.from - 1; after < range.to; ) {
    const rows = await rowsAfter(parts.db, after, range.to)
    const last = rows.at(-1)
    // Behind lost numbers the chain goes on, so a range may end with them.
    if (!last && (await hasEventAfter(parts.db, after))) break
    if (!last) throw new Error(`the audit has no event ${after + 1}`)
    yield hashed(digest, range.format === 'csv' ? auditCsv(rows) : rows.map(jsonLine).join(''))
    after = last.seq
    counted.events += rows.length
    counted.last_hash = last.hash.toString('hex')
  }
  yield await closingLine(parts, range, { ...counted, sha256: digest.digest('hex') })
}

function hashed(digest: Hash, text: string): string {
  digest.update(text)
  return text
}

async function hasEventAfter(db: Db, after: number): Promise<boolean> {
  const { rows } = await db.query(sql`SELECT 1 FROM event_seal WHERE seq > ${after} LIMIT 1`)
  return rows.length > 0
}

async function rowsAfter(db: Db, after: number, to: number): Promise<ExportedRow[]> {
  const { rows } =
    await db.query<ExportedRow>(sql`SELECT s.seq, s.prev_hash, s.hash, e.* FROM event_seal s JOIN event e ON e.id = s.event
    WHERE s.seq > ${after} AND s.seq <= ${to} ORDER BY s.seq LIMIT ${EVENTS}`)
  return rows
}

/** The bytes of the event stand in the line as they are. */
const jsonLine = ({ body, hash, prev_hash, seq }: ExportedRow): string =>
  `{"event":${body},"hash":"${hash.toString('hex')}","prev_hash":"${prev_hash.toString('hex')}","seq":${seq}}\n`

async function closingLine({ env, store }: Parts, range: Range, counted: object): Promise<string> {
  const { format, from, to, head } = range
  const manifest = {
    schema: 'audit-export/v1',
    format,
    from_seq: from,
    to_seq: to,
    head_seq: head,
    ...counted,
  }
  const envelope = Buffer.from(seal(MANIFEST_TYPE, manifest, signingKeyOf(env))).toString()
  const stored = await store.get(headKey(head))
  const closing = canonicalize({
    head: JSON.parse(Buffer.from(stored?.bytes ?? Buffer.from('null')).toString()),
    manifest: JSON.parse(envelope),
  })
  return format === 'csv' ? `# ${closing}\n` : `${closing}\n`
}
