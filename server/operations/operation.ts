/**
 * What can be asked of the product is declared once, here in rows: a room's `<room>.operations.ts` names each operation with
 * its right, schemas and use-case. tRPC procedures, REST routes, the OpenAPI document and the authority test come from these
 * rows; server/gate/gate.ts decides who gets through. See README.md.
 */
import type { z } from 'zod'
import type { Caller } from '#domain/authority/caller.ts'
import type { Action } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'

export type Kind = 'read' | 'write'
/** 100 KB, `large` for 2 MiB; `prompt` (640 KiB) and `report` (1 MiB and its frame) are those of LLM Tasks. */
export type BodyLimit = 'normal' | 'large' | 'prompt' | 'report'
export type Status = 200 | 201 | 202 | 204

/** An action of the authority matrix, or `open`: anybody may call it, for the reason on the short list below. */
export type Right = Action | 'open'

/** Operations that need no right. Adding one is a decision: an open operation that is not listed stops the start. */
export const OPEN_OPERATIONS: Readonly<Record<string, string>> = {
  'sessions.me': 'says who one is, nobody included',
}

/**
 * Who may call, as the gate reads it. `key` is for the product's own machine keys (the caller is then the component):
 * `callback`, `admin` (of the control plane) and `node` (a key made in the console) are checked before anything runs, `job-write` and `signed` by the use-case, which alone knows the job. `orKey` lets a
 * machine in under its key where people come with their rights; `runtime` takes the key of BLOOM Runtime, a node's own, and the lease of the task. `open`
 * gives its reason (`fromConsole`: from our own pages only; `uncounted`: outside the rate limits, or so for who shows a key).
 */
export type Policy =
  | { action: Action; stepUp?: true; orKey?: 'metrics' | 'runtime'; uncounted?: 'with-key' }
  | { key: 'callback' | 'admin' | 'admin-or-callback' | 'admin-or-node' | 'job-write' | 'signed' }
  | { open: string; fromConsole?: true; uncounted?: true; orKey?: 'runtime' }

/** What a use-case gets beside its input. */
export type OperationContext = {
  /** `db` is the running transaction of a write. A guest's reads go through a role that may only SELECT what a zone can show. */
  services: Services
  caller: Caller
  correlationId: string
  /** A password was entered within the last five minutes. */
  steppedUp: boolean
  /** Why a guarded operation would refuse this caller; only open ones ever see one. */
  refusal: Refusal | null
  address: string
  idempotencyKey: string | undefined
}

/** Who sent what does not fit, and what the answer says of it. */
export type RecordMisfit = (services: Services, caller: Caller, refusal: Refusal) => Promise<void>

type Method = { read: 'GET'; write: 'POST' | 'PATCH' | 'DELETE' }
type At<K extends Kind> = `${Method[K]} /${string}`
/** `fixed` fields of the input come from the address, so the body does not carry them. */
type Rest<K extends Kind> = At<K> | { at: At<K>; fixed?: Record<string, string>; summary?: string }

type Declaration<K extends Kind, I extends z.ZodType, O extends z.ZodType, T extends boolean> = {
  summary: string
  /** Strict. Its fields come from the path, the query (GET) or the body by their names. None: nothing is accepted. */
  input?: I
  /** Fields that it does not name are left out of the answer. */
  output: O
  /** Where REST serves it, `{field}` in the path; null: not over REST. */
  rest: Rest<K> | readonly Rest<K>[] | null
  /** False: not over tRPC. */
  trpc?: T
  /** Also wants a password of the last five minutes. */
  stepUp?: true
  /** 100 KB, or `large` for 2 MiB. */
  bodyLimit?: BodyLimit
  /** The status that OpenAPI names; 200 by default, 204 has no body. */
  status?: Status
  /** The status of one answer, where it depends on the answer. */
  statusOf?: (answer: z.input<O>) => number
  /**
   * A write runs in one transaction of the gate's: what it returns is committed, a refusal too; what it throws is rolled back.
   * `own` is for work that must not wait inside one, or acts outside after its commit; the row says which.
   */
  transaction?: K extends 'write' ? 'own' : never
  /** Records that input did not fit its schema, in a commit of its own; by default that leaves no trace but the log. */
  recordMisfit?: RecordMisfit
  run: (ctx: OperationContext, input: z.output<I>) => Promise<z.input<O> | Result<z.input<O>>>
}

export type Operation<K extends Kind = Kind, I = unknown, O = unknown, T extends boolean = boolean> = {
  readonly kind: K
  /** `<room>.<operation>`. */
  readonly name: string
  readonly tag: string
  readonly summary: string
  readonly right: Right
  readonly stepUp: boolean
  readonly input: z.ZodType | null
  readonly output: z.ZodType
  readonly rest: readonly { at: string; fixed: Record<string, string>; summary: string }[]
  readonly trpc: T
  readonly bodyLimit: BodyLimit
  readonly status: Status
  readonly statusOf: ((answer: never) => number) | undefined
  readonly transaction: 'own' | undefined
  readonly recordMisfit: RecordMisfit | undefined
  readonly run: (ctx: OperationContext, input: never) => Promise<unknown>
  /** For the types of the tRPC client; never there. */
  readonly types?: { input: I; output: O }
}

const declare =
  <K extends Kind>(kind: K) =>
  <O extends z.ZodType, I extends z.ZodType = z.ZodVoid, const T extends boolean = true>(
    right: Right,
    { input, rest, trpc, stepUp, bodyLimit, status, ...d }: Declaration<K, I, O, T>,
  ): Operation<K, z.input<I>, z.output<O>, T> => ({
    statusOf: undefined,
    transaction: undefined,
    recordMisfit: undefined,
    ...d,
    kind,
    name: '',
    tag: '',
    right,
    stepUp: stepUp ?? false,
    input: input ?? null,
    rest: addressesOf<K>(rest).map((one) => ({
      fixed: {},
      summary: d.summary,
      ...(typeof one === 'string' ? { at: one } : one),
    })),
    trpc: (trpc ?? true) as T,
    bodyLimit: bodyLimit ?? 'normal',
    status: status ?? 200,
  })

const addressesOf = <K extends Kind>(rest: Rest<K> | readonly Rest<K>[] | null): readonly Rest<K>[] =>
  rest === null ? [] : Array.isArray(rest) ? rest : [rest as Rest<K>]

/** An operation that changes nothing: a tRPC query, a GET. */
export const read = declare('read')
/** An operation that changes something: a tRPC mutation, a POST, PATCH or DELETE. */
export const write = declare('write')

/** The operations of a room under their names; `tag` groups them in the OpenAPI document. */
export function operations<R extends Record<string, Operation>>(room: string, declared: R, tag?: string): R {
  const group = tag ?? room.charAt(0).toUpperCase() + room.slice(1)
  const named = Object.entries(declared).map(([name, op]) => [
    name,
    { ...op, name: `${room}.${name}`, tag: group },
  ])
  return Object.fromEntries(named) as R
}
