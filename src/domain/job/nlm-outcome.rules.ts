/**
 * What the answers of the NotebookLM Backend mean for a job ([jobs#J8], [jobs#J9]). Pure: a status, a header or a reported code in, one
 * row of the table out.
 */
/** An address that the backend would not reach, by its origin alone, and the rule that said no. */
export type RefusedAddress = { origin: string; reason: string }

export type CallOutcome =
  | { kind: 'accepted' }
  | ({ kind: 'busy'; code: BusyCode; retryAfter?: number } & Said)
  | ({ kind: 'fatal'; code: 'VALIDATION_ERROR' | 'NLM_REFUSED' } & Said)

type Said = { message: string; refused?: readonly RefusedAddress[] }

export type BusyCode = 'RATE_LIMIT' | 'NLM_UNAVAILABLE' | 'CONTEXT_TIMEOUT' | 'STRUCTURE_ERROR'

/** Answers that no repeat will change. */
const FATAL: Readonly<Record<number, 'VALIDATION_ERROR' | 'NLM_REFUSED'>> = {
  400: 'VALIDATION_ERROR',
  401: 'NLM_REFUSED',
  403: 'NLM_REFUSED',
  409: 'VALIDATION_ERROR',
  413: 'VALIDATION_ERROR',
  422: 'VALIDATION_ERROR',
}

/** What an answer says beside its status: its text, already shortened, when to come back, and the addresses that were refused. */
export type AnswerDetail = { detail?: string; retryAfter?: number; refused?: readonly RefusedAddress[] }

/** The outcome of `POST /jobs/process` by its HTTP status. */
export function outcomeOfStatus(
  status: number,
  { detail, retryAfter, refused = [] }: AnswerDetail = {},
): CallOutcome {
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  const message = `The NotebookLM Backend answered ${status}${detail ? `: ${detail}` : '.'}`
  const fatal = FATAL[status]
  if (fatal) return { kind: 'fatal', code: fatal, message, ...(refused.length > 0 ? { refused } : {}) }
  const code = status === 429 ? 'RATE_LIMIT' : 'NLM_UNAVAILABLE'
  return { kind: 'busy', code, message, ...(retryAfter === undefined ? {} : { retryAfter }) }
}

/** The outcome of what the backend reports of a job; unknown codes may be tried again. */
export function outcomeOfReport({
  code,
  message,
  refused = [],
}: {
  code: string
  message: string
  refused?: readonly RefusedAddress[] | undefined
}): Exclude<CallOutcome, { kind: 'accepted' }> {
  const said = { message, ...(refused.length > 0 ? { refused } : {}) }
  if (code === 'VALIDATION_ERROR') return { kind: 'fatal', code, ...said }
  const busy: readonly string[] = ['RATE_LIMIT', 'CONTEXT_TIMEOUT', 'STRUCTURE_ERROR']
  return { kind: 'busy', code: busy.includes(code) ? (code as BusyCode) : 'NLM_UNAVAILABLE', ...said }
}

/** Seconds of a `Retry-After` header (a number, or a date after `now`); undefined when it says nothing usable. */
export function retryAfterSeconds(header: string | null, now: Date): number | undefined {
  if (!header) return undefined
  if (/^\d{1,6}$/.test(header.trim())) return Number(header.trim())
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
