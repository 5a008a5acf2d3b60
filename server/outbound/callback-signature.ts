import { Webhook } from 'standardwebhooks'

/**
 * The three signature headers of Standard Webhooks [outbound#signed-callbacks]: HMAC-SHA-256 over `id.timestamp.raw body`, ± 300 s.
 * The key is the bytes of the shared token itself, or what the base64 behind `whsec_` says, the form in which receivers know it.
 */
export type SignatureHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

const signer = (token: string) =>
  token.startsWith('whsec_') ? new Webhook(token) : new Webhook(Buffer.from(token), { format: 'raw' })

export function signBody(token: string, id: string, at: Date, body: string): SignatureHeaders {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signer(token).sign(id, at, body),
  }
}

/** True when the raw body carries a fresh signature made with the token; compared in constant time. */
export function isSigned(
  token: string,
  headers: Record<string, string | undefined>,
  body: string | Buffer,
): boolean {
  const given = {
    'webhook-id': headers['webhook-id'] ?? '',
    'webhook-timestamp': headers['webhook-timestamp'] ?? '',
    'webhook-signature': headers['webhook-signature'] ?? '',
  }
  const webhook = signer(token)
  try {
    webhook.verify(body, given, { jsonParse: false })
    return true
  } catch {
    return false
  }
}
