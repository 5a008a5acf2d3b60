import { describe, expect, it } from 'vitest'
import { ROLES, type Role } from './caller.ts'
import { ACTIONS, type Action, grantOf, may } from './matrix.ts'

/** Who may do what, written out by hand as a second opinion on the matrix. `o` is the caller's own part. */
const TABLE: Record<Action, Partial<Record<Role, '●' | 'o'>>> = {
  'health.read': { owner: '●', operator: '●' },
  'alert.read': { owner: '●', operator: '●' },
  'alert.acknowledge': { owner: '●', operator: '●' },
  'alert.test': { owner: '●' },
  'metrics.read': { owner: '●', operator: '●', service: '●' },
  'dashboard.read': { owner: '●', operator: '●' },
  'projection.retry': { owner: '●', operator: '●' },
  'inbox.submit': { owner: '●', agent: 'o' },
  'inbox.read': { owner: '●', operator: '●' },
  'proposal.read': { owner: '●', operator: '●', guest: 'o' },
  'proposal.decide': { owner: '●' },
  'proposal.retry': { owner: '●', operator: 'o' },
  'rule.read': { owner: '●', operator: '●' },
  'rule.manage': { owner: '●' },
  'run.request': { owner: '●' },
  'run.read': { owner: '●', operator: '●' },
  'run.cancel': { owner: '●', operator: '●' },
  'run.rerun': { owner: '●' },
  'question.read': { owner: '●', operator: '●' },
  'question.answer': { owner: '●' },
  'job.submit': { owner: '●' },
  'job.read': { owner: '●', operator: '●' },
  'job.operate': { owner: '●', operator: '●' },
  'artifact.read': { owner: '●', operator: '●', guest: 'o' },
  'agent.read': { owner: '●', operator: '●' },
  'agent.change': { owner: '●' },
  'note.read': { owner: '●', operator: '●', guest: 'o' },
  'note.suggest': { guest: '●' },
  'search.read': { owner: '●', operator: '●', guest: 'o' },
  'zone.manage': { owner: '●' },
  'audit.read': { owner: '●', operator: '●' },
  'settings.read': { owner: '●', operator: '●' },
  'retention.preview': { owner: '●' },
  'account.manage': { owner: '●' },
  'key.read': { owner: '●', operator: '●' },
  'key.manage': { owner: '●' },
  'membridge.read': { owner: '●', operator: '●' },
  'membridge.register': { owner: '●', operator: '●' },
  'membridge.sync': { owner: '●', operator: '●' },
  'node.read': { owner: '●', operator: '●' },
  'node.manage': { owner: '●' },
  'leadership.read': { owner: '●', operator: '●' },
  'leadership.select': { owner: '●', operator: '●' },
  'leadership.grant': { owner: '●' },
  'stream.read': { owner: '●', operator: '●', guest: 'o' },
  'session.own': { owner: '●', operator: '●', guest: '●' },
  'session.change': { owner: '●', operator: '●' },
  'task.read': { owner: '●', operator: '●', service: '●' },
  'task.submit': { owner: '●', operator: '●', service: '●' },
  'task.operate': { owner: '●', operator: '●', service: '●' },
  'task.lease': { owner: '●', operator: '●', service: '●', node: 'o' },
  'task.report': { owner: '●', operator: '●', service: '●', node: 'o' },
  'worker.read': { owner: '●', operator: '●', service: '●' },
  'worker.register': { owner: '●', operator: '●', service: '●', node: 'o' },
  'worker.operate': { owner: '●', operator: '●' },
  'worker.remove': { owner: '●' },
  'worker.control': { owner: '●' },
  'runtime.test': { owner: '●', operator: '●', service: '●' },
  'runtime.configure': { owner: '●' },
  'view.own': { owner: '●', operator: '●' },
  'push.own': { owner: '●', operator: '●' },
}

describe('the authority matrix', () => {
  const cells = (Object.keys(ACTIONS) as Action[]).flatMap((action) =>
    ROLES.map((role) => [action, role] as const),
  )
  it.each(cells)('%s by %s', (action, role) => {
    const cell = TABLE[action]?.[role]
    expect(grantOf(role, action)).toBe(cell === '●' ? true : cell === 'o' ? 'own' : false)
    expect(may(role, action)).toBe(cell !== undefined)
  })

  it('gives an anonymous caller nothing, and no decision to anybody but the owner', () => {
    for (const action of Object.keys(ACTIONS) as Action[]) expect(may('anonymous', action)).toBe(false)
    for (const role of ROLES) expect(may(role, 'proposal.decide')).toBe(role === 'owner')
  })
})
