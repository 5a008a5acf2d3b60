/**
 * What a fault of an S3 call says about the call.
 *
 * `unmet`: the condition did not hold (412). `again`: surely not done, worth repeating (409, 429). `unknown`: may have been
 * done (5xx, a broken connection, silence, an answer that is no S3 answer). `final`: surely not done, and a repeat would
 * fare alike (no bucket, no right, a request the server does not accept or 501, does not implement).
 */
export type S3Fault = { name: string; kind: 'unmet' | 'again' | 'unknown' | 'final' }

type Raw = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }

function kindOf(name: string, status: number | undefined): S3Fault['kind'] {
  if (name === 'PreconditionFailed' || status === 412) return 'unmet'
  if (name === 'NoSuchKey') return 'unmet'
  if (status === 404 && name !== 'NoSuchBucket') return 'unknown'
  if (status === 409 || status === 429) return 'again'
  if (name === 'NotImplemented' || status === 501) return 'final'
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) return 'final'
  return 'unknown'
}

/** True when the server says that it does not know, or does not accept, what the request asks for. */
export function isNotSupported(error: unknown): boolean {
  const status = (error as Raw | null)?.$metadata?.httpStatusCode
  return faultOf(error).name === 'NotImplemented' || status === 400 || status === 501
}

export function faultOf(error: unknown): S3Fault {
  const raw = (error ?? {}) as Raw
  const name = raw.code ?? raw.name ?? 'fault'
  return {
    name: raw.name && raw.name !== 'Error' ? raw.name : name,
    kind: kindOf(name, raw.$metadata?.httpStatusCode),
  }
}
