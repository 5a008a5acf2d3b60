/** The examples of the README about workers, run as they stand there: a task by curl, and a whole worker in Python. */
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isInstalled } from '#server/control-plane/testing/wire-clients.ts'
import { type ListeningGateway, listeningGateway } from '#server/http/testing/whole-gateway.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { getTask } from './runtime-lists.query.ts'

let gateway: ListeningGateway
beforeAll(async () => {
  gateway = await listeningGateway()
})
afterAll(() => gateway?.close())

/** The only block of this language among the words about workers. */
function example(language: string): string {
  const readme = readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8')
  const about = /^### Workers$(.*?)^### /ms.exec(readme)?.[1] ?? ''
  const blocks = [...about.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
  expect(blocks).toHaveLength(1)
  return blocks[0]?.[1] ?? ''
}

it('a task by curl, and a worker that answers it', { timeout: 60_000 }, async (context) => {
  for (const tool of ['python3', 'curl']) if (!isInstalled(tool)) lacking(context, tool)
  const { PATH } = process.env
  const { RUNTIME_API_KEY: KEY } = gateway.services.env
  const env = { NODE_ENV: 'test' as const, PATH, KEY, GARDEN: gateway.url }
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', example('sh')], { env })
  const { id } = JSON.parse(stdout)
  const worker = spawn('python3', ['-c', example('python')], { env, stdio: 'ignore' })
  try {
    const ended = async () => (await getTask(gateway.services.db, id))?.status === 'completed'
    await waitUntil(ended, { timeoutMs: 30_000, what: 'the worker answers' })
    expect(await getTask(gateway.services.db, id)).toMatchObject({
      attempts: 1,
      result: { output: '12 characters' },
    })
  } finally {
    worker.kill()
  }
})
