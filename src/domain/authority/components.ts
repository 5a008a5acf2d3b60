/**
 * What the components of the product may do to jobs, artifacts, notes and agents' memory: resource × verb × component
 * [auth#components]. `own` means the part that concerns the component's own object. A component that a cell does not name may not.
 *
 * Persons act through the gateway: as `gateway` when they read and ask for work, as `gateway-admin` when they operate jobs. Which person
 * may is the matter of the matrix of actions (matrix.ts); use-cases ask this table for whoever is no person.
 */
import type { Caller } from './caller.ts'

export const COMPONENTS = [
  'gateway',
  'gateway-admin',
  'orchestration-layer',
  'nlm-backend',
  'executor',
  'memory-backend',
  'control-plane',
  'apply-engine',
  'frontend',
] as const
export type Component = (typeof COMPONENTS)[number]

type Grant = true | 'own'
type Cell = Partial<Record<Component, Grant>>

const READ_BY_CONSOLE = { gateway: true, 'gateway-admin': true, frontend: true } as const

export const COMPONENT_RIGHTS = {
  job: {
    create: { gateway: true, 'orchestration-layer': true },
    read: { ...READ_BY_CONSOLE, 'orchestration-layer': true, 'nlm-backend': 'own', 'control-plane': true },
    update: { 'orchestration-layer': true },
    /** Requeue, cancel, fail ([jobs#J16] to [jobs#J18]). */
    operate: { 'gateway-admin': true, 'orchestration-layer': true, 'control-plane': true },
    report: { 'nlm-backend': 'own' },
    delete: {},
  },
  artifact: {
    write: { 'nlm-backend': true },
    /** The row of an artifact that somebody else wrote. */
    commit: { 'orchestration-layer': true },
    read: {
      ...READ_BY_CONSOLE,
      'orchestration-layer': true,
      'nlm-backend': true,
      'memory-backend': 'own',
      'control-plane': true,
      /** Those of its own run, through its tools. */
      executor: 'own',
    },
    register: { 'control-plane': true },
    modify: {},
    delete: {},
  },
  /** The garden's notes, by a tool or in a page. */
  note: { read: { ...READ_BY_CONSOLE, 'orchestration-layer': true, executor: true } },
  /** What step 01 of a run assembled. */
  context: { read: { 'orchestration-layer': true, 'nlm-backend': 'own', executor: 'own' } },
  memory: {
    'read-layer-1': {
      gateway: true,
      frontend: true,
      'orchestration-layer': true,
      executor: 'own',
      'nlm-backend': 'own',
      'apply-engine': true,
    },
    'read-layer-2': { gateway: true, frontend: true, executor: 'own', 'apply-engine': true },
    propose: { gateway: true, frontend: true, 'orchestration-layer': true, executor: 'own' },
    write: { 'apply-engine': true },
  },
} as const satisfies Record<string, Record<string, Cell>>

export type Resource = keyof typeof COMPONENT_RIGHTS
export type VerbOf<R extends Resource> = keyof (typeof COMPONENT_RIGHTS)[R]

/** What the component may do to the resource: all, its own part, or nothing. */
export function componentGrant<R extends Resource>(
  component: Component | null,
  resource: R,
  verb: VerbOf<R>,
): Grant | false {
  const cell = COMPONENT_RIGHTS[resource][verb] as Cell
  return (component && cell[component]) || false
}

/** Who a component is by its identity in the audit; the parts of the Orchestration Layer have names of their own. */
const BY_IDENTITY: Readonly<Record<string, Component>> = {
  gateway: 'gateway',
  'orchestration-layer': 'orchestration-layer',
  reaper: 'orchestration-layer',
  scheduler: 'orchestration-layer',
  projector: 'orchestration-layer',
  'apply-engine': 'apply-engine',
  'nlm-backend': 'nlm-backend',
  'memory-backend': 'memory-backend',
  membridge: 'control-plane',
}

/** The component that a caller acts as when it uses this verb; null for one that is none and may nothing. */
export function componentOf(
  { role, identity }: Pick<Caller, 'role' | 'identity'>,
  verb: string,
): Component | null {
  if (role === 'service') return BY_IDENTITY[identity] ?? null
  if (role === 'agent') return 'executor'
  // A node syncs and works; jobs, artifacts, notes and memory are none of its business.
  if (role === 'anonymous' || role === 'node') return null
  return verb === 'operate' ? 'gateway-admin' : 'gateway'
}
