import { describe, expect, it } from 'vitest'
import {
  APPLY_ENGINE,
  type Caller,
  GATEWAY,
  NLM_BACKEND,
  ORCHESTRATION_LAYER,
  PROJECTOR,
  REAPER,
  SCHEDULER,
} from './caller.ts'
import {
  COMPONENT_RIGHTS,
  COMPONENTS,
  type Component,
  componentGrant,
  componentOf,
  type Resource,
} from './components.ts'

/** Which component may do what, written out by hand as a second opinion: a row a verb, a column a component, `o` its own part. */
const COLUMNS: Component[] = [
  'gateway',
  'gateway-admin',
  'orchestration-layer',
  'nlm-backend',
  'executor',
  'memory-backend',
  'control-plane',
  'apply-engine',
  'frontend',
]
const TABLE: Record<string, string> = {
  //                     gw ga ol nl ex me cp ap fe
  'job.create': '         ● – ● – – – – – –',
  'job.read': '           ● ● ● o – – ● – ●',
  'job.update': '         – – ● – – – – – –',
  'job.operate': '        – ● ● – – – ● – –',
  'job.report': '         – – – o – – – – –',
  'job.delete': '         – – – – – – – – –',
  'artifact.write': '     – – – ● – – – – –',
  'artifact.commit': '    – – ● – – – – – –',
  'artifact.read': '      ● ● ● ● o o ● – ●',
  'artifact.register': '  – – – – – – ● – –',
  'artifact.modify': '    – – – – – – – – –',
  'artifact.delete': '    – – – – – – – – –',
  'note.read': '          ● ● ● – ● – – – ●',
  'context.read': '       – – ● o o – – – –',
  'memory.read-layer-1': '● – ● o o – – ● ●',
  'memory.read-layer-2': '● – – – o – – ● ●',
  'memory.propose': '     ● – ● – o – – – ●',
  'memory.write': '       – – – – – – – ● –',
}
const GRANTS = { '●': true, o: 'own', '–': false } as const

describe('what components may do', () => {
  const verbs = Object.entries(COMPONENT_RIGHTS).flatMap(([resource, rows]) =>
    Object.keys(rows).map((verb) => [resource, verb] as const),
  )
  const cells = verbs.flatMap(([resource, verb]) =>
    COMPONENTS.map((component) => [component, resource, verb] as const),
  )

  it('covers every verb and every component', () => {
    expect(verbs.map((of) => of.join('.')).sort()).toEqual(Object.keys(TABLE).sort())
    expect([...COLUMNS].sort()).toEqual([...COMPONENTS].sort())
  })

  it.each(cells)('%s: %s.%s', (component, resource, verb) => {
    const marks = TABLE[`${resource}.${verb}`]?.trim().split(/\s+/) ?? []
    const mark = marks[COLUMNS.indexOf(component)] as keyof typeof GRANTS
    expect(componentGrant(component, resource as Resource, verb as never)).toBe(GRANTS[mark])
  })

  it.each<[Pick<Caller, 'role' | 'identity'>, string, Component | null]>([
    [GATEWAY, 'create', 'gateway'],
    [ORCHESTRATION_LAYER, 'operate', 'orchestration-layer'],
    [REAPER, 'update', 'orchestration-layer'],
    [SCHEDULER, 'create', 'orchestration-layer'],
    [PROJECTOR, 'read', 'orchestration-layer'],
    [APPLY_ENGINE, 'write', 'apply-engine'],
    [NLM_BACKEND, 'report', 'nlm-backend'],
    [{ role: 'service', identity: 'somebody' }, 'read', null],
    [{ role: 'agent', identity: 'agent:orchestration-layer' }, 'create', 'executor'],
    [{ role: 'owner', identity: 'orchestration-layer' }, 'update', 'gateway'],
    [{ role: 'operator', identity: 'operator:olena' }, 'operate', 'gateway-admin'],
    [{ role: 'anonymous', identity: 'anonymous' }, 'read', null],
    [{ role: 'node', identity: 'node:orchestration-layer' }, 'read', null],
    [{ role: 'node', identity: 'node:attic' }, 'operate', null],
  ])('%o acts by %s as %s', (caller, verb, component) => {
    expect(componentOf(caller, verb)).toBe(component)
  })
})
