/** A push service over real HTTP that reads each message as its browser would: by RFC 8291 with the browser's keys, and the signature by RFC 8292. */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { SubscribeRequest } from '#contracts/push.contract.ts'

/** A browser that subscribed: what it sends to the console, and how it reads a message. */
export type Browser = { keys: SubscribeRequest['keys']; read(body: Buffer): Record<string, unknown> }

export function newBrowser(): Browser {
  const pair = createECDH('prime256v1')
  const p256dh = pair.generateKeys('base64url', 'uncompressed')
  const auth = randomBytes(16)
  return {
    keys: { p256dh, auth: auth.toString('base64url') },
    read: (body) => JSON.parse(decrypted(body, pair, auth)) as Record<string, unknown>,
  }
}

function decrypted(body: Buffer, pair: ECDH, auth: Buffer): string {
  const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)]
  const [sender, record] = [body.subarray(21, 21 + length), body.subarray(21 + length)]
  const derive = (secret: Buffer, by: Buffer, info: Buffer, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, by, info, bytes))
  const both = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
  const key = derive(pair.computeSecret(sender), auth, both, 32)
  const content = derive(key, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(key, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
  const open = createDecipheriv('aes-128-gcm', content, nonce).setAuthTag(record.subarray(-16))
  const plain = Buffer.concat([open.update(record.subarray(0, -16)), open.final()])
  return plain.subarray(0, plain.lastIndexOf(2)).toString()
}

/** What the signature of a message claims; throws when it is not by this key. */
export function vapidClaims(header: string, publicKey: string): { aud: string; exp: number; sub: string } {
  const [, token = '', key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? []
  const [head, claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')]
  const signer = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: signer, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (key !== publicKey || !isSigned) throw new Error('not signed by this key')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as ReturnType<typeof vapidClaims>
}

export type Got = { path: string; headers: Record<string, string>; body: Buffer }

/** Answers what `state` says, 201 at first. */
export async function pushService() {
  const got: Got[] = []
  const state = { answer: 201, headers: {} as Record<string, string> }
  const server = createServer(async (request, response) => {
    got.push({
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: await buffer(request),
    })
    response.writeHead(state.answer, state.headers).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { got, state, origin: `http://127.0.0.1:${port}`, close }
}
