import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

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
  const early = path.join(import.meta.dirname, 'before-framework.ts')
  const args = ['--import', early, '--input-type=module', '--eval', PROGRAM]
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
