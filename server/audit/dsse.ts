/**
 * DSSE v1 envelopes (https://github.com/secure-systems-lab/dsse): what is signed is the type and the exact bytes of the payload, so nothing
 * has to be brought into a canonical form before a signature is checked.
 */
import { type KeyObject, sign, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { z } from 'zod'
import type { SigningKey } from './signing-key.ts'

const envelopeSchema = z.object({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })).min(1),
})
export type Envelope = z.infer<typeof envelopeSchema>

/** `unreadable`: no envelope of this type. `unknown_key`: no signature by a trusted key. `bad_signature`: one by a trusted key is wrong. */
export type Opened = { ok: true; payload: unknown; keyId: string } | { ok: false; fault: OpenFault }
export type OpenFault = 'unreadable' | 'unknown_key' | 'bad_signature'

/** The pre-authentication encoding: lengths are part of it, so no type can run into its payload. */
function preAuthentication(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.byteLength} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** An envelope of this payload as the bytes of an object, both in canonical form. */
export function seal(type: string, payload: object, key: SigningKey): Uint8Array {
  const bytes = Buffer.from(canonicalize(payload) ?? '')
  const sig = sign(null, preAuthentication(type, bytes), key.privateKey)
  const envelope: Envelope = {
    payloadType: type,
    payload: bytes.toString('base64'),
    signatures: [{ keyid: key.keyId, sig: sig.toString('base64') }],
  }
  return new TextEncoder().encode(canonicalize(envelope))
}

/** Opens an envelope whose signature is by one of the trusted keys. */
export function open(type: string, bytes: Uint8Array, trusted: ReadonlyMap<string, KeyObject>): Opened {
  const envelope = envelopeOf(bytes)
  if (envelope?.payloadType !== type) return { ok: false, fault: 'unreadable' }
  const signature = envelope.signatures.find(({ keyid }) => trusted.has(keyid))
  const key = signature && trusted.get(signature.keyid)
  if (!signature || !key) return { ok: false, fault: 'unknown_key' }
  const payload = Buffer.from(envelope.payload, 'base64')
  if (!verify(null, preAuthentication(type, payload), key, Buffer.from(signature.sig, 'base64')))
    return { ok: false, fault: 'bad_signature' }
  const read = jsonOf(payload)
  return read === undefined
    ? { ok: false, fault: 'unreadable' }
    : { ok: true, payload: read, keyId: signature.keyid }
}

function envelopeOf(bytes: Uint8Array): Envelope | null {
  const parsed = envelopeSchema.safeParse(jsonOf(bytes))
  return parsed.success ? parsed.data : null
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
