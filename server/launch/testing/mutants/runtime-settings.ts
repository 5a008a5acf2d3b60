import type { Mutant } from './mutant.ts'

const WIRE = { invariant: 'SEC-34', test: 'server/http/runtime-settings-wire.test.ts' }
const CONFIG = { ...WIRE, file: 'server/runtime/control-plane-config.ts' }

/** The admin key of the control plane stays with the host that it was given for. */
export const runtimeSettingMutants: readonly Mutant[] = [
  {
    ...WIRE,
    breaks: 'another host is taken without a key of its own',
    file: 'server/runtime/configure-control-plane.ts',
    from: 'const movesAway = !isSameOrigin(url, before.url)',
    to: 'const movesAway = false',
    name: 'of another host needs a key of its own: that of before goes nowhere',
  },
  {
    ...CONFIG,
    breaks: 'only the name of a host counts, not its scheme and port',
    from: 'new URL(one).origin === new URL(other).origin',
    to: 'new URL(one).hostname === new URL(other).hostname',
    name: 'of another host needs a key of its own: that of before goes nowhere',
  },
  {
    ...CONFIG,
    breaks: 'a stored key can be read for any host',
    from: "BLOOM_SESSION_KEY, new URL(url).origin, 'control plane admin key'",
    to: "BLOOM_SESSION_KEY, '', 'control plane admin key'",
    name: 'has its key bound to its host: a row that is changed by hand opens nothing',
  },
  {
    ...CONFIG,
    breaks: 'the key of the environment goes to any host',
    from: 'return isSameOrigin(url, env.MEMBRIDGE_URL) ? env.MEMBRIDGE_ADMIN_KEY : null',
    to: 'return env.MEMBRIDGE_ADMIN_KEY',
    name: 'has its key bound to its host: a row that is changed by hand opens nothing',
  },
  {
    ...WIRE,
    breaks: 'a test of the key of before counts for the new one',
    file: 'server/runtime/record-contact.ts',
    from: 'WHERE revision = ${config.revision}',
    to: 'WHERE ${config.revision}::int IS NOT NULL',
    name: 'that changes during a test keeps nothing of it',
  },
  {
    ...WIRE,
    breaks: 'the key crosses a network in clear',
    file: 'server/runtime/call-control-plane.ts',
    test: 'server/runtime/call-control-plane.test.ts',
    from: 'if (kind) return { fault: kind, message: NOT_SENT[kind] }',
    to: '',
    name: 'at %s is sent nothing',
  },
]

const FLEET = {
  invariant: 'runtime.workers',
  test: 'server/runtime/update-workers.test.ts',
  file: 'server/runtime/merge-workers.ts',
}

const ADDRESS = {
  invariant: 'runtime.workers',
  test: 'server/http/runtime-address-wire.test.ts',
  file: 'server/runtime/register-worker.ts',
}
const OTHERS = 'by the node under its own key is called, until somebody else names another'

/** What a worker says of itself stands over what the control plane has of it; a key goes where somebody said on whose word it may. */
export const workerFleetMutants: readonly Mutant[] = [
  {
    ...FLEET,
    breaks: 'a worker that fetches is there because its machine is',
    from: ' AND (w.registered_at IS NULL OR (${CALLED_AT}) IS NOT NULL OR ${SAYS_IT_TOO})',
    to: '',
    name: 'one that fetches is there while it fetches, whatever else of its machine is heard',
  },
  {
    ...FLEET,
    breaks: 'a worker that took its leave is called back',
    from: 'w.offline_at >= coalesce(w.last_heartbeat_at, w.created_at) + make_interval(secs => ${OFFLINE_AFTER_SECONDS})',
    to: 'w.offline_at IS NOT NULL',
    name: 'one that took its leave stays away',
  },
  {
    ...ADDRESS,
    breaks: 'anybody who registers a worker says where its key goes',
    from: 'nodeOf(caller) === name ? caller.identity',
    to: 'true ? caller.identity',
    name: OTHERS,
  },
  {
    ...ADDRESS,
    breaks: 'the key follows to whatever address anybody names next',
    from: 'ELSE excluded.url_by END',
    to: 'ELSE coalesce(excluded.url_by, w.url_by) END',
    name: OTHERS,
  },
  {
    ...ADDRESS,
    breaks: 'what an operator registered with the control plane brings a key there',
    file: 'server/runtime/merge-workers.ts',
    from: " AND NOT EXISTS (SELECT 1 FROM membridge_agent a WHERE a.name = r.name AND coalesce(a.registered_by, '') <> ALL(${TRUSTED}))",
    to: '',
    name: 'by an operator to the control plane is not called',
  },
]
