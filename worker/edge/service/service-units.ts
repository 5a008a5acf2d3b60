import { shellWord } from '#domain/membridge/join-text.rules.ts'

/**
 * The agent as a service of one account [edge#service]: started with the machine, begun again whenever it ends. The unit names where
 * the variables lie, `config.env` of mode 0600, and holds none itself.
 */
export type AgentService = {
  program: readonly string[]
  /** The Node that runs now; the launcher prefers it, since a service has no PATH of a person. */
  node: string
  user: string
  home: string
  config: string
}

const RESTART_SECONDS = 5
/** Longer than the longest task takes to end and to be reported; an agent without one ends within half a minute. */
const STOP_SECONDS = 3_700
/** What an agent that is asked again takes to stop its tasks and report them. */
const HURRY_SECONDS = 90

/** A unit for `systemctl --user`. */
export function systemdUnit({ program, node, config }: AgentService): string {
  const variables = { MEMBRIDGE_CONFIG_ENV: config, MEMBRIDGE_NODE: node }
  return `# Membridge agent, for systemd:
#   mkdir -p ~/.config/systemd/user && membridge service systemd >~/.config/systemd/user/membridge-agent.service
#   systemctl --user daemon-reload && systemctl --user enable --now membridge-agent
#   loginctl enable-linger    # runs it without a session, from the start of the machine
[Unit]
Description=Membridge agent of this node
StartLimitIntervalSec=0

[Service]
ExecStart=${startLine([...program, 'agent'])}
${Object.entries(variables)
  .map(([name, value]) => `Environment=${unitWord(`${name}=${value}`)}`)
  .join('\n')}
Restart=always
RestartSec=${RESTART_SECONDS}
TimeoutStopSec=${STOP_SECONDS}
# The agent alone is asked to end: it asks its commands, and waits for them and for its tasks.
KillMode=mixed
UMask=0077
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`
}

/** A word of a unit: `%` begins a specifier. */
const unitWord = (word: string): string => `"${word.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"`
/** A word of a command, where `$` begins a variable as well. */
const execWord = (word: string): string => unitWord(word).replaceAll('$', '$$$$')

/** systemd takes only plain paths for what it starts itself; any other is started by a shell. */
function startLine(command: string[]): string {
  const plain = /^[A-Za-z0-9_./ @+,=-]+$/.test(command[0] ?? '')
  return [...(plain ? [] : ['/bin/sh', '-c', 'exec "$@"', 'sh']), ...command].map(execWord).join(' ')
}

/** A script for `/etc/init.d`, run by OpenRC's supervisor as that account. */
export function openrcScript({ program, node, user, home, config }: AgentService): string {
  const [command = '', ...rest] = program
  // The arguments are taken apart by a shell once more.
  const args = [...rest, 'agent'].map(shellWord).join(' ')
  return `#!/sbin/openrc-run
# Membridge agent, for OpenRC:
#   membridge service openrc | sudo tee /etc/init.d/membridge-agent >/dev/null
#   sudo chmod 755 /etc/init.d/membridge-agent && sudo rc-update add membridge-agent && sudo rc-service membridge-agent start
name="Membridge agent"
supervisor=supervise-daemon
command=${shellWord(command)}
command_args=${shellWord(args)}
command_user=${shellWord(user)}
directory=${shellWord(home)}
umask=077
respawn_delay=${RESTART_SECONDS}
respawn_max=0
retry=TERM/${STOP_SECONDS}/TERM/${HURRY_SECONDS}/KILL/5
output_logger="logger -t membridge-agent"
error_logger="logger -t membridge-agent"
export HOME=${shellWord(home)}
export MEMBRIDGE_CONFIG_ENV=${shellWord(config)}
export MEMBRIDGE_NODE=${shellWord(node)}

depend() {
  use net
  after firewall
}
`
}
