/**
 * What each process may do in the database: the one table of rights.
 *
 * Every table and every function of the schema has a row; what a row does not name, the process may not do. Nobody but the
 * owner of the schema has DDL, TRUNCATE, REFERENCES or TRIGGER. Trigger functions need no right: they are called by the
 * table. `grant-rights.mjs` brings a database to this table at every start, `rights.test.ts` compares the two.
 */

/** The roles that processes run under; `guest` is the one that web takes for a guest's reads. */
export const PROCESS_ROLES = /** @type {const} */ (['web', 'worker', 'control_plane', 'guest'])

/** @typedef {typeof PROCESS_ROLES[number]} ProcessRole */
/** @typedef {Partial<Record<ProcessRole, readonly string[]>>} Rights privileges, with columns where only some are meant */

const READ = ['SELECT']
const ADD = ['SELECT', 'INSERT']
const CHANGE = ['SELECT', 'INSERT', 'UPDATE']
const KEEP = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/** @param {string[]} columns */
const updateOf = (...columns) => columns.map((column) => `UPDATE (${column})`)

/** An event's number, id and time are given by the database alone: nobody backdates. */
const ADD_EVENT = [
  'SELECT',
  ...[
    'name',
    'actor',
    'actor_role',
    'via',
    'resource_type',
    'resource_id',
    'transition',
    'from_status',
    'to_status',
    'reason',
    'outcome',
    'error_code',
    'node',
    'correlation_id',
    'refs',
    'details',
  ].map((column) => `INSERT (${column})`),
]

/** @type {Record<string, Rights>} */
export const TABLE_RIGHTS = {
  _prisma_migrations: {
    worker: ['SELECT (migration_name)', 'SELECT (finished_at)', 'SELECT (rolled_back_at)'],
  },
  account: {
    web: CHANGE,
    worker: ['account_id', 'role', 'created_at', 'disabled_at'].map((column) => `SELECT (${column})`),
  },
  agent: { web: ['SELECT', 'UPDATE'], worker: CHANGE, control_plane: ['SELECT (slug)', 'SELECT (status)'] },
  agent_schedule: { worker: KEEP },
  agent_slot: { worker: CHANGE },
  alert: {
    web: ['SELECT', ...updateOf('status', 'updated_at', 'acknowledged_at', 'acknowledged_by', 'note')],
    worker: CHANGE,
  },
  alert_delivery: { web: ADD, worker: CHANGE },
  // The owner writes rules; a run's proposals are judged by them in the worker, which may lock a rule (a right to any column) and count.
  approval_rule: { web: CHANGE, worker: ['SELECT', 'UPDATE (updated_at)'] },
  approval_rule_day: { web: CHANGE, worker: CHANGE },
  artifact: { web: ADD, worker: ADD, guest: READ },
  artifact_labels: { web: ADD, worker: CHANGE, guest: READ },
  artifact_removal: { web: READ, worker: ['SELECT', 'INSERT', 'UPDATE (removed_at)'], guest: READ },
  audit_head: { web: ADD, worker: ADD },
  audit_verification: { web: ADD, worker: ['SELECT', 'UPDATE'] },
  component_health: { web: READ, worker: CHANGE },
  component_span: { web: READ, worker: [...ADD, 'DELETE'] },
  consumer: { web: READ, worker: CHANGE },
  event: { web: ADD_EVENT, worker: ADD_EVENT, control_plane: ADD_EVENT, guest: READ },
  event_head: { web: READ, worker: READ, guest: READ },
  event_seal: { web: READ, worker: READ, guest: READ },
  garden_check: { web: READ, worker: ['SELECT', 'UPDATE'] },
  garden_remote: { web: READ, worker: ['SELECT', 'UPDATE'] },
  idempotency_key: { web: KEEP, worker: ['SELECT (created_at)', 'DELETE'] },
  installation: {},
  inbox_entry: { web: CHANGE, worker: CHANGE },
  job: { web: CHANGE, worker: CHANGE, control_plane: ['SELECT', 'UPDATE'] },
  job_bulk: { web: CHANGE, worker: ['SELECT (expires_at)', 'DELETE'] },
  job_callback: { web: ADD, worker: ['SELECT', 'UPDATE (error)', 'DELETE'], control_plane: ADD },
  job_failure_resolution: { web: ADD, worker: READ },
  // What a key is, and whose, is settled when it is made.
  machine_key: {
    web: [...ADD, ...updateOf('status', 'updated_at', 'expires_at', 'revoked_at', 'last_used_at')],
    worker: ['SELECT', ...updateOf('status', 'updated_at')],
    control_plane: ['SELECT', ...updateOf('last_used_at')],
  },
  membridge_agent: {
    web: [...ADD, 'DELETE'],
    // Whether the owner or the admin key said where a worker is called.
    worker: ['SELECT (name)', 'SELECT (registered_by)'],
    control_plane: KEEP,
  },
  membridge_grant: { web: ADD, control_plane: ADD },
  membridge_lease: { web: CHANGE, worker: CHANGE, control_plane: CHANGE },
  membridge_node: { web: READ, control_plane: CHANGE, worker: ['SELECT', 'UPDATE (online)'] },
  membridge_project: { web: KEEP, worker: READ, control_plane: KEEP },
  membridge_seen: { web: READ, control_plane: ADD },
  // What was selected, by whom and why is settled before the lease is written.
  membridge_selection: {
    web: [...ADD, ...updateOf('status', 'updated_at', 'closed_at')],
    worker: ['SELECT', ...updateOf('status', 'updated_at', 'closed_at')],
    control_plane: [...ADD, ...updateOf('status', 'updated_at', 'closed_at')],
  },
  // The gateway asks for syncs; the control plane carries them out.
  membridge_sync: {
    web: ADD,
    control_plane: CHANGE,
    worker: ['SELECT', ...updateOf('status', 'updated_at', 'finished_at', 'detail')],
  },
  metric_point: { web: CHANGE, worker: KEEP, control_plane: CHANGE },
  metric_position: { web: READ, worker: CHANGE },
  metric_sample: { worker: CHANGE },
  metric_total: { web: CHANGE, worker: CHANGE, control_plane: CHANGE },
  needs_digest: { web: ['SELECT', 'UPDATE (read_at)'], worker: ADD },
  notification_choice: { web: CHANGE, worker: READ },
  object_mark: { web: ['SELECT', 'DELETE'], worker: KEEP },
  object_sweep: { web: READ, worker: CHANGE },
  projection_fault: { web: ['SELECT', 'UPDATE (retry_requested_at)'], worker: KEEP },
  proposal: { web: CHANGE, worker: CHANGE, guest: READ },
  push_key: { web: READ, worker: CHANGE },
  push_message: { web: ADD, worker: KEEP },
  // The surface leases and takes reports, the loops dispatch, reap and retry.
  llm_task: { web: CHANGE, worker: CHANGE },
  task_attempt: { web: CHANGE, worker: CHANGE },
  task_lease: { web: CHANGE, worker: CHANGE },
  worker_breaker: { web: CHANGE, worker: CHANGE },
  worker_node: { web: CHANGE, worker: CHANGE },
  // The gateway alone calls the control plane; its one row is there from the beginning.
  runtime_config: { web: ['SELECT', 'UPDATE'], worker: ['SELECT', 'UPDATE'] },
  push_notice: { worker: [...ADD, 'DELETE'] },
  push_subscription: {
    web: KEEP,
    worker: ['SELECT', ...updateOf('last_sent_at', 'last_error'), 'DELETE'],
  },
  rate_slice: { web: KEEP, worker: KEEP },
  retention: { web: READ, worker: ['SELECT', 'UPDATE'] },
  run: { web: CHANGE, worker: CHANGE },
  run_call: { web: READ, worker: CHANGE },
  // What was asked, and until when, is settled with the question.
  run_question: {
    web: ['SELECT', ...updateOf('status', 'updated_at', 'answer', 'answered_by', 'answered_at')],
    worker: [...ADD, ...updateOf('status', 'updated_at', 'answer', 'answered_by', 'answered_at')],
  },
  run_step: { web: READ, worker: CHANGE },
  saved_view: { web: KEEP },
  session: { web: CHANGE, worker: ['SELECT (zone_id)', 'SELECT (ended_at)', 'UPDATE (ended_at)'] },
  sign_in_link: { web: CHANGE },
  state_edge: { web: READ, worker: READ, control_plane: READ },
  worker_process: { web: READ, worker: CHANGE },
  zone: { web: CHANGE, worker: ['SELECT', 'UPDATE (status)', 'UPDATE (updated_at)'], guest: READ },
  // Written beside a guest's request and not by it: guests neither see nor touch it.
  zone_reading: {
    web: [...ADD, ...updateOf('openings', 'last_read_at')],
    worker: ['SELECT (reading_id)', 'SELECT (last_read_at)', 'DELETE'],
  },
}

/**
 * By name and types of arguments, as PostgreSQL writes them. `bloom_seal` runs with the owner's rights: it is the one way to seals and to the head.
 * @type {Record<string, readonly ProcessRole[]>}
 */
export const FUNCTION_RIGHTS = {
  'artifact_labelled()': [],
  'artifact_relabelled()': [],
  'artifact_words(text,text[])': ['web', 'worker'],
  // Called by the trigger that makes the bytes of an event, under whoever inserts it.
  'bloom_canonical(jsonb)': ['web', 'worker', 'control_plane'],
  'bloom_canonical_number(numeric)': ['web', 'worker', 'control_plane'],
  'bloom_count_hit(text,integer,interval,timestamp with time zone)': ['web', 'worker'],
  'bloom_seal(integer)': ['worker'],
  'count_task_lease()': [],
  'event_body(event)': ['worker'],
  'event_body_made()': [],
  'event_bytes(event)': ['web', 'worker', 'control_plane'],
  'event_numbered()': [],
  'guard_status()': [],
  'job_admissible(integer)': ['worker'],
  'job_artifact_together()': [],
  // Called for the column of a job, under whoever ends it.
  'job_failure(jsonb)': ['web', 'worker', 'control_plane'],
  'job_heads(integer)': ['worker'],
  'job_payload_fits()': [],
  'job_rules()': [],
  'new_ulid()': ['web', 'worker', 'control_plane'],
  'node_seen()': [],
  'object_named()': [],
  'proposal_content_frozen()': [],
  'refuse_change()': [],
  'sealer_calls(text)': [],
  'sealer_only()': [],
}

/**
 * A role's rights as they stand behind GRANT and REVOKE.
 * @param {ProcessRole} role
 * @param {string} database the name of the database, quoted for SQL
 * @returns {string[]}
 */
export function wantedRights(role, database) {
  return [
    `CONNECT ON DATABASE ${database}`,
    'USAGE ON SCHEMA public',
    ...Object.entries(TABLE_RIGHTS).flatMap(([table, rights]) =>
      (rights[role] ?? []).map((privilege) => `${privilege} ON TABLE ${table}`),
    ),
    ...Object.entries(FUNCTION_RIGHTS)
      .filter(([, roles]) => roles.includes(role))
      .map(([signature]) => `EXECUTE ON FUNCTION ${signature}`),
  ]
}

/**
 * What the owner of the schema needs beside owning it, where the database belongs to another account.
 * @param {string} database
 */
export const ownerRights = (database) => [
  ...['CONNECT', 'CREATE', 'TEMPORARY'].map((privilege) => `${privilege} ON DATABASE ${database}`),
  ...['USAGE', 'CREATE'].map((privilege) => `${privilege} ON SCHEMA public`),
]
