import { expect, it } from 'vitest'
import type { AlertView } from '#contracts/alert.contract.ts'
import { pageOf } from './status.ts'

type Subject = Pick<AlertView, 'rule' | 'condition' | 'resource'>

it.each<[Subject, string]>([
  [{ rule: 'AgentFailing', condition: 'agent_failures', resource: 'a b' }, '/agents/a%20b'],
  [{ rule: 'WorkerLost', condition: 'worker_silent', resource: 'host:1:w' }, '/settings'],
  [{ rule: 'WorkerLost', condition: 'node_silent', resource: 'laptop' }, '/workers'],
  [{ rule: 'BreakerOpen', condition: 'breaker_openings', resource: 'laptop' }, '/workers'],
  [{ rule: 'NoWorker', condition: 'tasks_untaken', resource: 'tasks' }, '/tasks?status=queued'],
])('leads from %o to %s', (alert, page) => expect(pageOf(alert)).toBe(page))
