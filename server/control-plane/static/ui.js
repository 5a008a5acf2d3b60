/**
 * The page of the control plane: its health, and under the admin key what it knows and does, in English or Ukrainian. It asks again every ten seconds while the tab is
 * visible.
 */
import { ask, canBeKey, detailOf, forgetKey, hasKey, takeKey } from './ui-api.js'
import { byId, confirmed } from './ui-elements.js'
import { showAgents, showChoices, showJobs, showLeadership, showNodes, showProjects } from './ui-panels.js'
import { languageNow, otherLanguage, text } from './ui-texts.js'

const REFRESH_MS = 10_000
const JOBS_SHOWN = 20

/** What was last received; the health is null while the control plane does not answer, undefined before the first answer. */
const state = {
  health: undefined,
  ...{ projects: [], agents: [], jobs: [], nodes: null, leadership: null },
  /** The selected project, and the names of Worker Nodes whose sync is running. */
  ...{ project: null, running: new Set() },
}

const say = (name, values) => {
  byId('said').textContent = name ? text(name, values) : ''
}
const project = (path = '') => `/projects/${encodeURIComponent(state.project.canonical_id)}${path}`

function show() {
  document.documentElement.lang = languageNow()
  document.title = text('title')
  for (const element of document.querySelectorAll('[data-text]'))
    element.textContent = text(element.dataset.text)
  byId('language').textContent = text('other')
  byId('language').lang = languageNow() === 'en' ? 'uk' : 'en'
  if (state.health !== undefined) showHealth(state.health)
  byId('key-form').hidden = hasKey()
  byId('key-given').hidden = !hasKey()
  byId('panels').hidden = !hasKey()
  if (hasKey()) showPanels()
}

function showHealth(health) {
  byId('summary').textContent = text(summaryOf(health))
  for (const name of ['version', 'projects', 'agents']) byId(name).textContent = health?.[name] ?? '–'
  for (const name of ['database', 'store']) {
    byId(name).textContent = health?.[name] ? text(health[name]) : '–'
    byId(name).dataset.state = health?.[name] ?? ''
  }
}

function summaryOf(health) {
  if (!health) return 'silent'
  if (health.database === 'failing') return 'noDatabase'
  if (health.store === 'failing') return 'noStore'
  return health.status === 'ok' ? 'well' : 'silent'
}

function showPanels() {
  const { projects, agents, jobs, nodes, leadership, running } = state
  const selected = state.project?.canonical_id
  showProjects(projects, { selected, onSelect: select, onRemove: removeProject })
  showLeadership(leadership, leadership && detailOf(leadership))
  showChoices(leadership?.status === 200 ? (nodes ?? []) : [])
  showNodes(nodes)
  showAgents(agents, { project: state.project, running, onSync: runSync, onRemove: removeAgent })
  showJobs(jobs)
}

/** The body of a list, or what was there before; a key that is refused is forgotten, and the reader told why. */
async function read(path, before) {
  const answer = await ask('GET', path)
  if (answer.status === 401 || answer.status === 403) refuseKey(answer)
  return answer.status === 200 ? answer.body : before
}

function refuseKey(answer) {
  if (!hasKey()) return
  forgetKey()
  byId('key-fault').textContent = answer.status === 401 ? text('wrongKey') : detailOf(answer)
  byId('key').focus()
}

/** One reading is under way at a time. Whoever asks meanwhile gets the next one, which begins after what they changed. */
let [reading, next] = [null, null]

function refresh() {
  if (document.hidden) return
  if (reading) {
    next ??= reading.then(() => {
      next = null
      return refresh()
    })
    return next
  }
  reading = readAll().finally(() => {
    reading = null
  })
  return reading
}

async function readAll() {
  const health = fetch('/health')
    .then((answer) => answer.json())
    .catch(() => null)
  if (hasKey()) await refreshPanels()
  state.health = await health
  show()
}

async function refreshPanels() {
  const asked = state.project
  const [projects, agents, jobs, ofProject] = await Promise.all([
    read('/projects', state.projects),
    read('/agents', state.agents),
    read(`/jobs?limit=${JOBS_SHOWN}`, state.jobs),
    asked ? readProject() : null,
  ])
  Object.assign(state, { projects, agents, jobs })
  if (asked === state.project) Object.assign(state, ofProject)
}

/** The leadership of the selected project and its nodes, which come with it wherever the store answers. */
async function readProject() {
  const ownNodes = project('/nodes')
  const leadership = await ask('GET', project('/leadership'))
  return { leadership, nodes: leadership.body?.nodes ?? (await read(ownNodes, state.nodes)) }
}

function select(chosen) {
  Object.assign(state, { project: chosen, nodes: null, leadership: null })
  show()
  return refresh()
}

/** Changes something, and says how it went. */
async function change([method, path, body], what, saved) {
  const answer = await ask(method, path, body)
  if (answer.status === 401) refuseKey(answer)
  const ok = answer.status >= 200 && answer.status < 300
  say(ok ? saved : 'refused', { what, detail: detailOf(answer) })
  // Not waited for: a form that is emptied later would lose what was typed meanwhile.
  void refresh()
  return ok
}

async function removeProject({ name, canonical_id }) {
  const yes = await confirmed(text('removeProject', { name }), text('removeProjectText'), text('remove'))
  if (!yes) return
  const ok = await change(['DELETE', `/projects/${encodeURIComponent(name)}`], name, 'removed')
  if (ok && state.project?.canonical_id === canonical_id) await select(null)
}

async function removeAgent(name) {
  const yes = await confirmed(text('removeAgent', { name }), text('removeAgentText'), text('remove'))
  if (yes) await change(['DELETE', `/agents/${encodeURIComponent(name)}`], name, 'removed')
}

async function runSync(action, agent) {
  const { name } = state.project
  const what = text(`${action}Of`, { agent, project: name })
  state.running.add(agent)
  say('running', { what })
  show()
  const answer = await ask('POST', `/sync/${action}`, { project: name, agent })
  state.running.delete(agent)
  const done = answer.status === 200 && answer.body?.ok
  const detail = answer.status === 200 ? answer.body?.detail : detailOf(answer)
  say(done ? 'done' : 'fault', { what, detail })
  await refresh()
}

/** Promotes against the epoch that the reader saw: whoever was faster is named. */
async function promote(node, reason) {
  const { name } = state.project
  const { lease, epoch } = state.leadership.body
  const primary = lease?.primary_node_id
  const explained = text(primary && primary !== node ? 'promoteText' : 'promoteFirst', { node, primary })
  if (!(await confirmed(text('promoteTitle', { node, project: name }), explained, text('promote')))) return
  const body = { primary_node_id: node, ...(reason ? { reason } : {}) }
  const expected = typeof epoch === 'number' ? { expected_epoch: epoch } : {}
  const answer = await ask('POST', project('/leadership/select'), { ...body, ...expected })
  sayPromoted(answer, { node, project: name })
  await refresh()
}

function sayPromoted(answer, names) {
  const { code, lease, selected_by } = answer.body ?? {}
  if (answer.status === 200) return say('promoted', names)
  if (code === 'EPOCH_STALE' && lease)
    return say('stale', {
      primary: lease.primary_node_id,
      epoch: lease.epoch,
      by: selected_by ?? lease.issued_by,
    })
  if (code === 'PUSH_IN_FLIGHT') return say('inFlight')
  say('refused', { detail: detailOf(answer) })
}

function onSubmit(id, act) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault()
    void act()
  })
}

onSubmit('key-form', async () => {
  const given = byId('key').value.trim()
  byId('key').value = ''
  byId('key-fault').textContent = ''
  if (!canBeKey(given)) {
    byId('key-fault').textContent = text('wrongKey')
    return
  }
  takeKey(given, byId('key-keep').checked)
  await refresh()
})
onSubmit('project-form', async () => {
  const name = byId('project-name').value.trim()
  if (await change(['POST', '/projects', { name }], name, 'saved')) byId('project-form').reset()
})
onSubmit('agent-form', async () => {
  const [name, url] = [byId('agent-name').value.trim(), byId('agent-url').value.trim()]
  const body = { name, ...(url ? { url } : {}) }
  if (await change(['POST', '/agents', body], name, 'saved')) byId('agent-form').reset()
})
onSubmit('promote-form', () => promote(byId('promote-node').value, byId('promote-reason').value.trim()))

byId('key-forget').addEventListener('click', () => {
  forgetKey()
  Object.assign(state, { projects: [], agents: [], jobs: [], nodes: null, leadership: null, project: null })
  say('')
  show()
  byId('key').focus()
})
byId('language').addEventListener('click', () => {
  otherLanguage()
  say('')
  show()
})
document.addEventListener('visibilitychange', refresh)
// Whoever has no pointer scrolls a wide table by its keys.
for (const region of document.querySelectorAll('.wide')) region.tabIndex = 0
setInterval(() => reading ?? refresh(), REFRESH_MS)
show()
refresh()
