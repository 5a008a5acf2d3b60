import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createRedactor } from '#domain/secret/redact.rules.ts'
import { openNodeHome } from '../testing/home-folder.ts'
import { keepOutcome, keptOutcomes } from './outcomes.ts'
import { reportKept } from './report-outcome.ts'
import type { Reply } from './runtime-client.ts'

test.each([
  [{ kind: 'ok', body: {} }, ['task t: reported after all'], 0],
  [{ kind: 'gone' }, ['task t: kept outcome reported too late'], 0],
  [{ kind: 'refused', why: 'no such key' }, ['task t: kept outcome not taken: no such key'], 0],
  [{ kind: 'unknown', why: 'ECONNREFUSED' }, [], 1],
] satisfies [Reply, string[], number][])('a kept outcome that is answered %j', async (reply, said, left) => {
  const home = openNodeHome()
  onTestFinished(() => fs.rmSync(home.path(), { recursive: true, force: true }))
  const leaseUntil = Date.now() + 60_000
  await keepOutcome(home.host, { taskId: 't', leaseId: randomUUID(), fence: 1, leaseUntil, report: {} })
  const lines: string[] = []
  const client = { redactor: createRedactor([]), renew: async () => reply, complete: async () => reply }
  await reportKept({ host: home.host, client, say: (line) => lines.push(line) })
  expect(lines).toEqual(said)
  expect(await keptOutcomes(home.host, Date.now())).toHaveLength(left)
})
