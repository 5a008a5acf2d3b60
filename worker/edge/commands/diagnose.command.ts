import { diagnose } from '../claude-mem/diagnose.ts'
import type { Command } from './command.ts'

/** Why the hooks of claude-mem fail here. Ends with the code of the first finding (10 to 13), or 0 [edge#diagnose]. */
export const diagnoseCommand: Command = {
  name: 'diagnose',
  aliases: [],
  summary: 'why the hooks of claude-mem fail on this machine (exit code 10 to 13); changes nothing',
  async run({ host }) {
    const checks = await diagnose(host)
    const exitCode = checks.find((check) => !check.ok)?.code ?? 0
    const lines = checks.flatMap(({ ok, code, name, message, advice }) => [
      `${ok ? 'OK  ' : `[${code}]`} ${name}: ${message}`,
      ...(advice === null ? [] : [`     ${advice}`]),
    ])
    return { exitCode, lines, json: { code: exitCode, checks } }
  },
}
