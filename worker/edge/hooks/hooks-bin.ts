import path from 'node:path'
import type { Settings } from '../config/settings.ts'
import type { Host } from '../host.ts'

/** The folder of the hooks where none is named on the command line [edge#hooks]. */
export const hooksBin = (
  { home }: Pick<Host, 'home'>,
  { MEMBRIDGE_HOOKS_BIN }: Pick<Settings, 'MEMBRIDGE_HOOKS_BIN'>,
): string => MEMBRIDGE_HOOKS_BIN ?? path.join(home, '.local/bin')
