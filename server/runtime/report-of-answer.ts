/**
 * The HTTP answer of a node as the report that it would have sent. Every answer gives one: without it the task would wait for the end of its lease, which counts
 * as a crash of the worker.
 */
import { type CompletionReport, completionRequest, OUTPUT_BYTES } from '#contracts/task-report.contract.ts'

const MESSAGE_CHARS = 16_000
const CODE_CHARS = 64
/** The most that a report takes. */
const MAX_MS = 1e10
const NO_WORD = 'The node did not say why.'
const TOO_LARGE = 'The output is larger than 1 MiB.'

export function reportOfAnswer(id: string, answer: Record<string, unknown>): CompletionReport {
  const report = completionRequest.safeParse({ id, ...saidBy(answer), metrics: metricsOf(answer) })
  if (report.success) return report.data
  return completionRequest.parse({ ...failed(NO_WORD, 'provider_error'), id })
}

function saidBy({ ok, output, error, error_code, detail }: Record<string, unknown>) {
  if (ok !== true || output === undefined || output === null)
    return failed([error, detail].map(textOf).find((text) => text.trim() !== '') ?? NO_WORD, error_code)
  const text = textOf(output)
  if (Buffer.byteLength(text) > OUTPUT_BYTES) return failed(TOO_LARGE, 'output_too_large')
  return { status: 'success', output: text }
}

const failed = (message: string, code: unknown) => ({
  status: 'error',
  error_message: message.slice(0, MESSAGE_CHARS).toWellFormed(),
  ...(typeof code === 'string' ? { error_code: textOf(code).slice(0, CODE_CHARS).toWellFormed() } : {}),
})

function metricsOf({ duration_ms }: Record<string, unknown>) {
  const took = typeof duration_ms === 'number' ? duration_ms : 0
  return { duration_ms: Math.min(Math.max(took, 0), MAX_MS) }
}

/** Without what the ledger stores in no text; what is no text, as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed()
  if (value === undefined || value === null) return ''
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? textOf(inner) : inner))
}
