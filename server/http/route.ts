/**
 * A REST route as data: method, path, policy, schemas, use-case. The same declaration mounts the handler (app.ts) and writes
 * its part of the OpenAPI document, so the two cannot differ; a route without a policy does not type-check and does not mount.
 */
import type { z } from 'zod'
import type { Caller } from '#domain/authority/caller.ts'
import type { Action } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { BodyLimit } from './json-body.ts'

/**
 * Who may call: an action of the authority matrix; `key` for the product's own machine keys (the caller is then the
 * component); `open` for what anybody may call, with the reason (`fromConsole`: from our own pages only; `uncounted`: outside
 * the rate limits). `callback` is checked against MEMBRIDGE_CALLBACK_TOKEN before
 * the handler runs; `job-write` and `signed` are checked by the use-case, which alone knows the job.
 */
export type RoutePolicy =
  | { action: Action; stepUp?: true }
  | { key: 'callback' | 'job-write' | 'signed' | 'metrics' }
  | { open: string; fromConsole?: true; uncounted?: true }

export type Call<P, Q, B> = {
  services: Services
  caller: Caller
  params: P
  query: Q
  body: B
  /** The whole request, for use-cases that check a signature or stream. Its body is consumed. */
  request: Request
  /** The exact bytes of the body. */
  bytes: Uint8Array
  bearer: string | undefined
  idempotencyKey: string | undefined
  correlationId: string
  address: string
  steppedUp: boolean
  /** Why a guarded route would refuse this caller; only open routes ever see one. */
  refusal: Refusal | null
  /** What the answer carries beside its value: `answer.status = 201`, `answer.headers.set('etag', …)`. */
  answer: { status: number; headers: Headers }
}

type Schema<T> = z.ZodType<T>

export type Route<P = unknown, Q = unknown, B = unknown, R = unknown> = {
  method: 'get' | 'post' | 'patch' | 'delete'
  /** Whole path with `{name}` parameters: `/api/v1/jobs/{id}`. */
  path: string
  policy: RoutePolicy
  summary: string
  tag: string
  params?: Schema<P>
  query?: Schema<Q>
  body?: Schema<B>
  /** 100 KB, or 2 MiB for inbox, proposals and artifacts. */
  limit?: BodyLimit
  /** Shape of the answer; fields that it does not name are left out. Null when the handler answers by itself. */
  response: Schema<R> | null
  /** 200 by default; 204 has no body. */
  status?: 200 | 201 | 202 | 204
  handle: (call: Call<P, Q, B>) => Promise<Result<R> | Response>
}

export type AnyRoute = Omit<Route, 'handle' | 'params' | 'query' | 'body' | 'response'> & {
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  response: z.ZodType | null
  handle: (call: Call<never, never, never>) => Promise<Result<unknown> | Response>
}

/** Types a declaration; the list of a room is `export const jobsRoutes: AnyRoute[] = [route({…}), …]`. */
export function route<
  P = Record<never, never>,
  Q = Record<never, never>,
  B = Record<never, never>,
  R = unknown,
>(declaration: Route<P, Q, B, R>): AnyRoute {
  return declaration as AnyRoute
}
