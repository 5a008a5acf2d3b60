import { execFileSync, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const EARLY = path.join(import.meta.dirname, 'before-framework.ts')
/** A server that listens from its first line, as the framework does. */
const PROGRAM = `
import { createServer } from 'node:http'
const server = createServer(({ headers }, response) => response.end(headers['x-garden-peer'] + ' ' + headers['x-garden-handed-on']))
server.listen(0, '127.0.0.1', async () => {
  const headers = { 'x-garden-peer': '6.6.6.6', 'x-garden-handed-on': '1' }
  const answer = await fetch('http://127.0.0.1:' + server.address().port, { headers })
  console.log(await answer.text())
  const refused = await fetch('http://127.0.0.1:' + server.address().port + '/api/%ff')
  console.log(JSON.stringify({ status: refused.status, type: refused.headers.get('content-type'), body: await refused.json() }))
  server.closeAllConnections()
  server.close()
})`

test('a request that comes before the framework is ready is stamped, and an odd one refused', () => {
  const args = ['--import', EARLY, '--input-type=module', '--eval', PROGRAM]
  const [stamped, refused] = execFileSync(process.execPath, args, { encoding: 'utf8' }).split('\n')
  expect(stamped).toBe('127.0.0.1 0')
  expect(JSON.parse(refused ?? '')).toEqual({
    ...{ status: 400, type: expect.stringContaining('application/json') },
    body: {
      error: { code: 'BAD_REQUEST', message: expect.any(String), retryable: false },
      correlation_id: expect.any(String),
    },
  })
})

/** Asks for a page and for its health, says who answered, and then what became of the page. */
const WAITING = `
import { createServer } from 'node:http'
const server = createServer(({ url }, response) => response.end(url + ' ' + process.env.GIVEN))
server.listen(0, '127.0.0.1', async () => {
  const at = 'http://127.0.0.1:' + server.address().port
  let isAnswered = false
  const page = fetch(at + '/inbox').finally(() => { isAnswered = true })
  console.log(await (await fetch(at + '/health')).text())
  console.log(isAnswered)
  const answer = await page
  console.log(answer.status + ' ' + (await answer.text()))
  server.closeAllConnections()
  server.close()
})`

test.each([
  ['it comes', JSON.stringify({ GIVEN: 'this' }), '200 /inbox this'],
  ['the start is given up', '', '503 The console could not be started.'],
])(
  'a request waits for the environment until %s; the one for the health does not',
  async (_, input, becomes) => {
    const args = ['--import', EARLY, '--input-type=module', '--eval', WAITING]
    const child = spawn(process.execPath, args, { env: { ...process.env, BLOOM_ENV_BY_INPUT: '1' } })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => (await lines.next()).value
    expect([await next(), await next()]).toEqual(['/health undefined', 'false'])
    child.stdin.end(input)
    expect(await next()).toBe(becomes)
  },
)
