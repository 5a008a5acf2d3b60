/**
 * Exports of the lists ([exports#what-an-export-is]): the rows that a filter lets through, in the order of the list, page by page through the list's own
 * use-case, so that an export holds exactly what its pages show and memory holds one page.
 */
import { z } from 'zod'
import { isResult, ok, type Result } from '#domain/kernel/result.ts'
import type { Operation, OperationContext } from '#server/operations/operation.ts'
import { type Cell, csvLines } from './csv.ts'
import { streamText } from './stream-text.ts'

export const EXPORT_FORMATS = ['jsonl', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
export const EXPORT_TYPES = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
} as const satisfies Record<ExportFormat, string>

/** The most rows of one export. */
export const EXPORT_ROWS = 100_000
const PAGE_ROWS = 500

type Item = Record<string, unknown>
const listPage = z.object({ items: z.array(z.looseObject({})), next_cursor: z.string().nullable() })
type ListPage = { items: Item[]; next_cursor: string | null }
type Asked = { format: ExportFormat } & Record<string, unknown>
type Limits = { rows: number; page: number }

/** The filter of a list, as its export takes it. */
export function exportInput({ name, input }: Operation): z.ZodObject {
  if (!(input instanceof z.ZodObject)) throw new Error(`${name}: the list has no filter`)
  const { cursor: _, limit: __, ...filter } = input.shape
  return z.strictObject({ ...filter, format: z.enum(EXPORT_FORMATS).default('jsonl') })
}

/** The stream of a list's rows. The first page is read before it begins, so that a refusal is answered as one. */
export async function exportList(
  list: Operation,
  ctx: OperationContext,
  { format, ...filter }: Asked,
  limits: Limits = { rows: EXPORT_ROWS, page: PAGE_ROWS },
): Promise<Result<ReadableStream<Uint8Array>>> {
  const read = async (cursor: string | null): Promise<Result<ListPage>> => {
    const input = { ...filter, limit: limits.page, ...(cursor === null ? {} : { cursor }) }
    const answered = await list.run(ctx, input as never)
    const outcome: Result<unknown> = isResult(answered) ? answered : ok(answered)
    return outcome.ok ? ok(listPage.parse(list.output.parse(outcome.value))) : outcome
  }
  const first = await read(null)
  if (!first.ok) return first
  const write = format === 'csv' ? csvOf(list) : jsonLines
  const receiver = new AbortController()
  const texts = textsOf({ first: first.value, read, write, limits, gone: receiver.signal })
  return ok(streamText(texts, () => receiver.abort()))
}

type Source = {
  first: ListPage
  read: (cursor: string) => Promise<Result<ListPage>>
  write: Writer
  limits: Limits
  /** The receiver has gone. */
  gone: AbortSignal
}

async function* textsOf({ first, read, write, limits, gone }: Source): AsyncGenerator<string> {
  const { rows } = limits
  let [page, left, begun] = [first, rows, false]
  // A page of which the reader may see little counts as a whole one: what is hidden is read, too.
  for (let pages = Math.ceil(rows / limits.page); ; pages--) {
    const shown = page.items.slice(0, left)
    left -= shown.length
    const more = page.next_cursor !== null || shown.length < page.items.length
    const text = write.rows(shown, !begun)
    begun = true
    if (text) yield text
    if (!more || gone.aborted) return
    if (left === 0 || pages <= 1) break
    const next = await read(page.next_cursor as string)
    // What was sent can't be taken back: the receiver sees a download that broke off.
    if (!next.ok) throw new Error(`an export broke off: ${next.refusal.code}`)
    page = next.value
  }
  yield write.end(`Limited to the first ${rows - left} rows. Narrow the filter to export the others.`)
}

type Writer = { rows: (items: readonly Item[], first: boolean) => string; end: (note: string) => string }

const jsonLines: Writer = {
  rows: (items) => items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  end: (note) => `${JSON.stringify({ truncated: note })}\n`,
}

/** Columns by the schema of a row, in its order; what is no text, number or truth value is written as JSON. */
function csvOf(list: Operation): Writer {
  const names = columnsOf(list)
  return {
    rows: (items, first) =>
      csvLines(
        names,
        items.map((item) => names.map((name) => cellOf(item[name]))),
        first,
      ),
    end: (note) => `# ${note}\n`,
  }
}

function columnsOf({ name, output }: Operation): string[] {
  const items = output instanceof z.ZodObject ? output.shape.items : null
  const item = items instanceof z.ZodArray ? items.element : null
  if (!(item instanceof z.ZodObject)) throw new Error(`${name}: the list has no rows of known columns`)
  return Object.keys(item.shape)
}

const cellOf = (value: unknown): Cell => {
  if (value === null || value === undefined) return null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value)
}
