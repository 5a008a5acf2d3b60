import type { SystemHealth } from '#contracts/system.contract.ts'

/** The health to show: `unknown` while nothing is known against any component and some were not probed yet, as after the first start. */
export type ShownHealth = SystemHealth['status'] | 'unknown'

export function shownHealth({ status, components }: SystemHealth): ShownHealth {
  const ill = troubled(components)
  return status === 'degraded' && ill.length > 0 && ill.every(([, c]) => c.checked_at === null)
    ? 'unknown'
    : status
}

type Components = SystemHealth['components']
type Named = [name: keyof Components, component: Components[keyof Components]]

/** The components that do not work as they should, by name; what is not configured is meant not to. */
export const troubled = (components: Components): Named[] =>
  (Object.entries(components) as Named[]).filter(
    ([, { status }]) => status !== 'healthy' && status !== 'not_configured',
  )
