import { describe, expect, it } from 'vitest'
import { createRedactor, MASK } from './redact.rules.ts'

const redactor = createRedactor([
  'zone-key-zone-key',
  'zone-key-zone-key-longer',
  'pw',
  'with "quotes" & more',
])

describe('a value by its name', () => {
  it.each([
    'token',
    'write_token',
    'callbackToken',
    'password',
    'new_password',
    'NOTEBOOKLM_API_KEY',
    'apiKey',
    'CLIENT_SECRET',
    'secret',
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'set-cookie',
    'zone_code',
  ])('%s is masked at any depth', (name) => {
    expect(redactor.value({ [name]: 'abc' })).toEqual({ [name]: MASK })
    expect(redactor.value({ a: [{ b: { [name]: { deep: 'abc' } } }] })).toEqual({
      a: [{ b: { [name]: MASK } }],
    })
  })

  it.each([
    ['object_key', 'artifacts/sha256/ab.json'],
    ['key', 'health/probe.json'],
    ['input_tokens', 412],
    ['password', true],
    ['code', 'NLM_UNAVAILABLE'],
    ['code', 'ECONNREFUSED'],
    ['code', 'ERR_HTTP2_STREAM_ERROR'],
    ['code', '23505'],
    ['code', '40P01'],
    ['code', 'invalid_type'],
    ['code', 500],
    ['title', 'zone open here'],
  ])('%s: %s stays', (name, value) => {
    expect(redactor.value({ [name]: value })).toEqual({ [name]: value })
  })

  it.each(['ZONE-7K2M-9QXA', 'zone7k2m9qxa', '7K2M9QXA', 'f3Xk9-_aQe0'])(
    'a code that opens something is masked: %s',
    (code) => expect(redactor.value({ code })).toEqual({ code: MASK }),
  )
})

describe('a text', () => {
  it.each([
    ['the longest value first', 'a zone-key-zone-key-longer b', `a ${MASK} b`],
    ['every place', 'zone-key-zone-key,zone-key-zone-key', `${MASK},${MASK}`],
    ['a short value as a word', 'pw is not spwn', `${MASK} is not spwn`],
    ['as JSON escapes it', JSON.stringify('with "quotes" & more'), `"${MASK}"`],
    ['as an address encodes it', encodeURIComponent('with "quotes" & more'), MASK],
    ['credentials in an address', 'at postgresql://bloom:p/w@h:1/db', `at postgresql://${MASK}@h:1/db`],
    ['a bearer token', 'Bearer abcdefghijklmnop', `Bearer ${MASK}`],
    ['a signed token', 'got eyJhbGciOiJI.eyJzdWIiOiJv.c2lnbmF0dXJl', `got ${MASK}`],
    [
      'the secret of a machine key',
      `sent gbk_0123456789abcdef_${'a_-b'.repeat(11)}, twice`,
      `sent gbk_0123456789abcdef_${MASK}, twice`,
    ],
    ['a zone code', 'entered with ZONE-7K2M-9QXA.', `entered with ${MASK}.`],
    ['the parameter of a link', 'http://h/sign-in#token=abc', `http://h/sign-in#token=${MASK}`],
    ['nothing else', 'http://127.0.0.1:8080/jobs?run=1', 'http://127.0.0.1:8080/jobs?run=1'],
  ])('loses %s', (_, given, safe) => expect(redactor.text(given)).toBe(safe))
})

it('reads a value as JSON does, and ends in a bounded depth', () => {
  const knot: Record<string, unknown> = { at: new Date(0) }
  knot.self = knot
  expect(JSON.stringify(redactor.value(knot))).toContain('1970-01-01T00:00:00.000Z')
})
