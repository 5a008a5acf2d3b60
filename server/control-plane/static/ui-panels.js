/** How each panel looks: from what was received to elements, and no requests. */
import { button, byId, element, facts, fill, table } from './ui-elements.js'
import { text, time, word } from './ui-texts.js'

/** More rows would keep the tab busy at every refresh. */
const ROWS_SHOWN = 500

const note = (name, values) => element('p', { class: 'quiet' }, text(name, values))

/** The first rows of a list as a table, with how many there are when not all are shown; what to say when there are none. */
function list(place, { caption, columns, none }, items, rowOf) {
  if (items.length === 0) return fill(byId(place), note(none))
  const names = columns.map((one) => text(one))
  const shown = table(text(caption), names, items.slice(0, ROWS_SHOWN).map(rowOf))
  const count = items.length > ROWS_SHOWN ? [note('firstRows', { shown: ROWS_SHOWN, n: items.length })] : []
  fill(byId(place), ...count, shown)
}

const cell = (...children) => element('div', { class: 'actions' }, ...children)

export function showProjects(projects, { selected, onSelect, onRemove }) {
  const columns = ['name', 'canonicalId', 'nodesCount', 'source', 'lastSeen', 'actions']
  list('project-list', { caption: 'projects', columns, none: 'noProjects' }, projects, (project) => {
    const { name, canonical_id: cid, nodes_count: count, source, last_seen } = project
    const chosen = cid === selected
    const choose = button(text('select'), {
      ...{
        place: `select ${cid}`,
        'aria-pressed': String(chosen),
        'aria-label': `${text('select')}: ${name}`,
      },
      onclick: () => onSelect(project),
    })
    const remove = button(text('remove'), {
      ...{ place: `remove ${cid}`, 'aria-label': `${text('remove')}: ${name}` },
      onclick: () => onRemove(project),
    })
    return [name, element('code', {}, cid), count, word(source), time(last_seen), cell(choose, remove)]
  })
}

const inWords = (seconds) => {
  if (typeof seconds !== 'number') return '–'
  return seconds < 120
    ? text('seconds', { n: Math.max(0, Math.round(seconds)) })
    : text('minutes', { n: Math.round(seconds / 60) })
}

const lockOf = (lock) =>
  lock.state === 'free'
    ? text('lockFree')
    : text('lockHeld', {
        state: word(lock.state === 'stale' ? 'stale_lock' : lock.state),
        node: lock.node_id ?? text('unknown'),
      })

const pointerOf = (pointer) =>
  pointer?.sha256
    ? `${time(pointer.pushed_at)} · ${pointer.sha256.slice(0, 12)} · ${pointer.observations ?? '–'}`
    : text('none')

/** `answer` is null while nothing is selected. */
export function showLeadership(answer, detail) {
  const place = byId('leadership')
  if (!answer) return fill(place, note('chooseProject'))
  if (answer.status !== 200)
    return fill(place, element('p', { 'data-state': 'failing' }, text('leadershipFault', { detail })))
  const { lease, lease_state, epoch, term, ttl_seconds, needs_ui_selection, lock, pointer } = answer.body
  const warning = needs_ui_selection
    ? [element('p', { 'data-state': 'failing' }, text('needsSelection'))]
    : []
  const shown = [
    [text('primary'), lease?.primary_node_id ?? text('none')],
    [text('lease'), word(lease_state)],
    [text('expiresIn'), lease_state === 'valid' ? inWords(ttl_seconds) : '–'],
    [text('epoch'), epoch],
    [text('term'), term],
    [text('lock'), lockOf(lock)],
    [text('pointer'), pointerOf(pointer)],
  ]
  fill(place, ...warning, facts(shown))
}

/** The nodes that may be promoted; what was chosen stays chosen. */
export function showChoices(nodes) {
  const choice = byId('promote-node')
  const before = choice.value
  const options = nodes.map(({ node_id: id }) =>
    element('option', { value: id, selected: id === before }, id),
  )
  choice.replaceChildren(...options)
  byId('promote-form').hidden = nodes.length === 0
}

export function showNodes(nodes) {
  if (!nodes) return fill(byId('node-list'), note('chooseProject'))
  const columns = ['node', 'role', 'status', 'observations', 'SHA-256', 'lastSeen', 'version']
  list('node-list', { caption: 'nodes', columns, none: 'noNodes' }, nodes, (node) => [
    ...[node.node_id, word(node.role), text(node.online ? 'online' : 'offline'), node.obs_count],
    element('code', {}, node.db_sha?.slice(0, 12)),
    ...[time(node.last_seen), node.agent_version],
  ])
}

export function showAgents(agents, { project, running, onSync, onRemove }) {
  const columns = ['name', 'url', 'status', 'lastSeen', 'version', 'actions']
  list('agent-list', { caption: 'registered', columns, none: 'noAgents' }, agents, (agent) => {
    const { name, url, status, last_seen, agent_version } = agent
    const sync = (action) =>
      button(text(action), {
        ...{ place: `${action} ${name}`, 'aria-label': `${text(action)}: ${name}` },
        disabled: !url || !project || running.has(name),
        onclick: () => onSync(action, name),
      })
    const remove = button(text('remove'), {
      ...{ place: `remove ${name}`, 'aria-label': `${text('remove')}: ${name}` },
      onclick: () => onRemove(name),
    })
    return [
      name,
      url ?? text('noUrl'),
      word(status),
      time(last_seen),
      agent_version,
      cell(sync('push'), sync('pull'), remove),
    ]
  })
}

export function showJobs(jobs) {
  const columns = ['kind', 'what', 'status', 'created', 'message']
  list('job-list', { caption: 'jobs', columns, none: 'noJobs' }, jobs, (item) => {
    const subject =
      item.kind === 'sync'
        ? text(item.action === 'push' ? 'pushOf' : 'pullOf', item)
        : [item.job_type, item.agent_slug].filter(Boolean).join(' · ')
    return [
      word(item.kind),
      subject,
      word(item.status),
      time(item.created_at),
      item.detail ?? item.error?.message,
    ]
  })
}
