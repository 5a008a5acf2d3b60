/**
 * How a person does each operation of the console without a pointer. The test beside it finds an operation that no page offers or no row names, an act
 * that nothing registers, and a key that its file does not have; README.md shows the rows.
 */

/** `act`: as its file registers it for the command menu and the shortcut help, `*` for what varies. Without one it is the control alone, by Tab and Enter. */
export type Way = { in: string; act?: string; key?: string }

/** The file below `src/features` with the act or the control, the act, its key. */
const way = (file: string, act?: string, key?: string): Way => ({
  in: `src/features/${file}`,
  ...(act ? { act } : {}),
  ...(key ? { key } : {}),
})

const COMMANDS = 'proposals/components/commands.tsx'
const proposal = (key?: string) => way(COMMANDS, 'proposals.*', key)
/** In the menu of the proposal, and so in the command menu. */
const inMenu = way(COMMANDS, 'proposals.*')
const RULE_ACTIONS = 'approval-rules/components/rule-actions.tsx'
const rule = way(RULE_ACTIONS, 'rules.*.*')
const job = (key?: string) => way('jobs/components/job-actions.tsx', 'jobs.*', key)
const bulk = way('jobs/components/bulk-actions.tsx')
const agent = way('agents/components/agent-commands.tsx', 'agents.*')
const account = way('settings/components/account-actions.tsx')
const session = way('settings/components/sessions-section.tsx')
const zone = (key: string) => way('zones/components/zone-actions.tsx', 'zones.*.*', key)
const key = way('keys/components/key-actions.tsx', 'keys.*.*')
const node = way('nodes/components/node-menu.tsx', 'nodes.*')
const task = (key: string) => way('tasks/components/task-actions.tsx', 'tasks.*', key)
const worker = way('workers/components/worker-menu.tsx', 'workers.*')

export const KEYBOARD_WAYS: Readonly<Record<string, readonly Way[]>> = {
  'inbox.submit': [
    way('inbox/components/propose-note.tsx', 'inbox.propose', 'n'),
    way('inbox/components/propose-text.tsx', 'inbox.comment', 'c'),
    way('inbox/components/propose-text.tsx', 'inbox.summary', 's'),
    way('inbox/components/propose-tags.tsx', 'inbox.tag', 't'),
  ],
  'inbox.suggest': [way('notes/components/suggest-change.tsx', 'notes.suggest')],
  'approvalRules.create': [way('approval-rules/components/create-rule.tsx', 'rules.create')],
  'approvalRules.edit': [rule],
  'approvalRules.remove': [rule],
  'approvalRules.order': [rule],
  'approvalRules.setMode': [rule],
  'approvalRules.turnOn': [way('approval-rules/components/dry-run-dialog.tsx')],
  'approvalRules.dryRun': [rule],
  'approvalRules.opened': [way('approval-rules/components/dry-run-dialog.tsx')],
  'proposals.approve': [proposal('a')],
  'proposals.reject': [proposal('r')],
  'proposals.edit': [proposal('e'), way('proposals/components/edit-bar.tsx', 'proposals.approve', 'a')],
  'proposals.requestChanges': [proposal('q')],
  'proposals.snooze': [proposal('z')],
  'proposals.unsnooze': [proposal('z')],
  'proposals.undo': [
    proposal('u'),
    way('proposals/components/undo-tray.tsx', 'proposals.undo.latest', 'u'),
    way('proposals/components/undo-tray.tsx', 'proposals.undo.all', 'U'),
  ],
  'proposals.retry': [proposal('t')],
  'proposals.force': [proposal('F')],
  'proposals.rebase': [
    proposal('m'),
    way('proposals/components/resolve-conflict.tsx', 'proposals.rebase.review'),
  ],
  'proposals.resubmit': [proposal('s')],
  'proposals.revert': [proposal('v')],
  'proposals.extend': [inMenu],
  'proposals.discard': [inMenu],
  'proposals.archive': [inMenu],
  'proposals.unarchive': [inMenu],
  'proposals.batch': [
    way('proposals/components/batch-bar.tsx', 'proposals.batch.approve', 'A'),
    way('proposals/components/batch-bar.tsx', 'proposals.batch.reject', 'R'),
    way('proposals/components/alike-group.tsx', 'proposals.group.approve', 'a'),
    way('proposals/components/alike-group.tsx', 'proposals.group.reject', 'r'),
  ],
  'runs.request': [
    way('agents/components/run-agent.tsx', 'agents.run.*'),
    way('runs/components/run-again.tsx', 'runs.again'),
  ],
  'runs.rerun': [way('runs/components/rerun-run.tsx', 'runs.rerun', 'f')],
  'questions.answer': [way('questions/components/open-question.tsx', 'questions.choice.*')],
  'views.save': [way('views/components/saved-views.tsx', 'list.saveView')],
  'needs.readDigest': [way('needs/components/digest.tsx')],
  'push.choose': [way('push/components/choices.tsx')],
  'push.subscribe': [way('push/components/device-switch.tsx')],
  'push.remove': [way('push/components/devices.tsx')],
  'push.test': [way('push/components/devices.tsx')],
  'views.rename': [way('views/components/saved-views.tsx')],
  'views.remove': [way('views/components/saved-views.tsx')],
  'runs.cancel': [way('runs/components/cancel-run.tsx', 'runs.cancel', 'c')],
  'jobs.submit': [
    way('jobs/components/request-job.tsx', 'jobs.new', 'n'),
    way('jobs/components/request-job.tsx', 'jobs.again', 'n'),
  ],
  'jobs.requeue': [job('r')],
  'jobs.cancel': [job('c')],
  'jobs.fail': [job()],
  'jobs.replay': [way('jobs/components/replay-job.tsx', 'jobs.replay', 'p')],
  'jobs.bulkPreview': [bulk],
  'jobs.bulkExecute': [bulk],
  'jobs.resolveFailures': [way('jobs/components/failures.tsx')],
  'tasks.create': [way('tasks/components/new-task.tsx', 'tasks.new', 'n')],
  'tasks.requeue': [task('r')],
  'tasks.cancel': [task('c')],
  'workers.drain': [worker],
  'workers.correctAddress': [worker],
  'workers.release': [worker],
  'workers.resetBreaker': [worker],
  'workers.commandAgent': [worker],
  'workers.remove': [worker],
  'runtime.configure': [way('settings/components/change-control-plane.tsx', 'settings.controlPlane')],
  'runtime.testConnection': [way('settings/components/runtime-section.tsx', 'settings.testConnection')],
  'agents.command': [agent, way('agents/components/recover-agent.tsx', 'agents.recover.*')],
  'agents.delete': [agent],
  'zones.create': [way('zones/components/create-zone.tsx', 'zones.create', 'n')],
  'zones.change': [zone('e'), zone('s')],
  'zones.revoke': [zone('r')],
  'audit.verify': [way('audit/components/verification-panel.tsx', 'audit.verify', 'v')],
  'alerts.acknowledge': [way('alerts/components/acknowledge.tsx')],
  'alerts.sendTest': [way('alerts/components/channels-section.tsx')],
  'system.retryProjection': [way('settings/components/projection-faults.tsx')],
  'system.previewRetention': [way('settings/components/retention-dry-run.tsx')],
  'accounts.createOperator': [way('settings/components/create-operator.tsx', 'settings.operator', 'n')],
  'accounts.disable': [account],
  'accounts.resetPassword': [account],
  'sessions.end': [session],
  'sessions.endOthers': [session],
  'sessions.stepUp': [way('shell/components/step-up-dialog.tsx')],
  'sessions.setPassword': [way('settings/components/password-section.tsx')],
  'keys.create': [way('keys/components/create-key.tsx', 'keys.create')],
  'keys.rotate': [key],
  'keys.revoke': [key],
  'membridge.sync': [way('nodes/components/sync-buttons.tsx')],
  'nodes.add': [way('nodes/components/add-node.tsx', 'nodes.add', 'n')],
  'nodes.register': [node],
  'nodes.unregister': [node],
  'leadership.promote': [way('leadership/components/project-page.tsx', 'leadership.promote')],
  'leadership.grant': [way('leadership/components/grant-override.tsx', 'leadership.grant')],
}

/** What no person asks for: machines do, or the page does by itself. */
export const NOT_BY_HAND: Readonly<Record<string, string>> = {
  'proposals.markSeen': 'the page notes what has been looked at',
  'membridge.registerProject': 'a node registers its projects',
  'membridge.removeProject': 'the control plane’s own interface',
  'membridge.registerAgent': 'the control plane’s own interface; the console has `nodes.register`',
  'membridge.removeAgent': 'the control plane’s own interface; the console has `nodes.unregister`',
}

/** The rows as a table. */
export function keyboardTable(): string {
  const rows = Object.entries(KEYBOARD_WAYS).flatMap(([operation, ways]) =>
    ways.map(({ in: file, act, key: keys }) => [
      `\`${operation}\``,
      keys ? `\`${keys}\`` : '',
      act ? 'yes' : '',
      file.replace('src/features/', ''),
    ]),
  )
  return [['operation', 'key', 'command menu', 'control'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
