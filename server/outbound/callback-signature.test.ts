import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSigned, signBody } from './callback-signature.ts'

const TOKEN = 'a-token-of-thirty-two-characters'
const BODY = '{"job_id":"x","note":"ґанок"}'

describe('callback signature', () => {
  const now = new Date()
  const headers = signBody(TOKEN, 'msg_1', now, BODY)

  it('is HMAC-SHA-256 over id, seconds and raw body', () => {
    const seconds = Math.floor(now.getTime() / 1000)
    const mac = createHmac('sha256', TOKEN).update(`msg_1.${seconds}.${BODY}`).digest('base64')
    expect(headers).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${mac}`,
    })
    expect(isSigned(TOKEN, headers, BODY)).toBe(true)
    expect(isSigned(TOKEN, headers, Buffer.from(BODY))).toBe(true)
  })

  it.each([
    ['another body', headers, `${BODY} `, TOKEN],
    ['another token', headers, BODY, `${TOKEN}x`],
    ['another id', { ...headers, 'webhook-id': 'msg_2' }, BODY, TOKEN],
    [
      'another time',
      { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
      BODY,
      TOKEN,
    ],
    ['no signature', { ...headers, 'webhook-signature': undefined }, BODY, TOKEN],
    ['a broken signature', { ...headers, 'webhook-signature': 'v1' }, BODY, TOKEN],
    [
      'an old message',
      signBody(TOKEN, 'msg_1', new Date(now.getTime() - 301_000 - 10_000), BODY),
      BODY,
      TOKEN,
    ],
    [
      'a message of the future',
      signBody(TOKEN, 'msg_1', new Date(now.getTime() + 900_000), BODY),
      BODY,
      TOKEN,
    ],
  ])('is refused for %s', (_, given, body, token) => {
    expect(isSigned(token, given, body)).toBe(false)
  })
})
